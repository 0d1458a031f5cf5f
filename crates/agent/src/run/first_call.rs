//! Asks an agent that concludes before it has called any tool to call one.
//!
//! Weak models copy the format of the report at once, without looking at anything. The agent is asked once;
//! its second conclusion is accepted, because an alert may need no tool.

use tarsy_domain::{LoopKind, Message};

use super::record::Record;
use super::{AgentRun, Purpose};

const REQUEST: &str =
    "You have not called any tool, so your answer is not based on the current state of the system.";

impl AgentRun {
    /// Returns whether a conclusion is not accepted yet.
    pub(super) fn needs_tool_call(&self, purpose: Purpose) -> bool {
        self.setup.rules.request_tool_call
            && purpose == Purpose::Iteration
            && self.setup.strategy.uses_tools()
            && !self.setup.tools.is_empty()
            && self.tool_results == 0
            && !self.tool_call_requested
            && self.may_call_again(purpose)
    }

    /// Asks for a tool call instead of accepting a conclusion.
    pub(super) fn request_tool_call(&mut self, analysis: &str, record: &mut Record) {
        self.tool_call_requested = true;
        record.response(analysis);
        let wanted = match self.setup.strategy.loop_kind() {
            LoopKind::React => {
                "Call one now: write `Thought:`, `Action:` and `Action Input:`, then stop. If no tool can help, \
                 write `Final Answer:` and your complete answer again."
            }
            LoopKind::FunctionCalling | LoopKind::SingleShot => {
                "Call one now. If no tool can help, repeat your complete answer."
            }
        };
        self.say(record, Message::user(format!("{REQUEST} {wanted}")));
        self.call_again(Purpose::Iteration, record);
    }
}
