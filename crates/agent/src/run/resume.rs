//! Resumes a run whose journal another version may have recorded.
//!
//! Versions interpret replies differently and send other texts. The journal contains what happened, and the
//! recorded messages contain what the model was sent; both take precedence over the rules of this version:
//! the run continues with the recorded conversation, and no reply that was paid for is requested again.

use std::sync::Arc;

use tarsy_domain::{Message, Role, ToolCall};

use super::conversation::Conversation;
use super::{AgentRun, Happened, OBSERVATION, Phase, Purpose, Setup};

impl AgentRun {
    /// Rebuilds a run from its journal and its recorded conversation.
    ///
    /// If this version recorded them, the result equals that of [`AgentRun::rebuild`].
    pub fn resume(setup: Setup, journal: &[Happened], recorded: &[Message]) -> Self {
        let mut run = Self::new(setup);
        for happened in journal {
            if run.apply(happened).is_err() {
                run.apply_unexpected(happened);
            }
        }
        run.adopt(recorded);
        run
    }

    /// Applies an entry that the rules of this version do not expect, because another version interpreted the
    /// reply before it in another way.
    fn apply_unexpected(&mut self, happened: &Happened) {
        match happened {
            Happened::Replied(_) | Happened::ModelFailed(_) => {
                self.phase = Phase::Thinking(Purpose::Iteration);
                // A run that waits for a model accepts both.
                let applied = self.apply(happened);
                debug_assert!(applied.is_ok(), "{applied:?}");
            }
            Happened::ToolReturned(result) => {
                self.tool_results += 1;
                self.usage += result.usage;
                self.phase = Phase::Thinking(Purpose::Iteration);
            }
        }
    }

    /// Replaces the conversation by the recorded one, if they differ.
    fn adopt(&mut self, recorded: &[Message]) {
        let rebuilt = self.conversation.recorded();
        if rebuilt.iter().map(Arc::as_ref).eq(recorded) {
            return;
        }
        let calls_are_recorded = rebuilt.last().map(Arc::as_ref) == recorded.last();
        self.conversation = Conversation::new(self.tools.bound());
        recorded.iter().for_each(|message| self.conversation.restore(message));
        match self.phase {
            Phase::Acting(_) if calls_are_recorded => {}
            Phase::Acting(_) | Phase::Thinking(Purpose::Iteration) => {
                // The recorded calls are not those of this version, so no results for them follow.
                self.conversation.omit_last_calls();
                self.phase = Phase::Thinking(Purpose::Iteration);
            }
            Phase::Thinking(Purpose::ForcedConclusion) | Phase::Done(_) => {}
        }
    }
}

impl Conversation {
    /// Adds a recorded message.
    fn restore(&mut self, message: &Message) {
        let shared = Arc::new(message.clone());
        match message.role {
            Role::Tool => self.say_result(shared, &restored_call(message)),
            Role::User if message.content.starts_with(OBSERVATION) => {
                self.say_result(shared, &restored_call(message));
            }
            Role::Assistant => {
                self.begin_turn();
                self.say(shared);
            }
            Role::System | Role::User => self.say(shared),
        }
    }
}

/// Returns what is known about the call of a recorded result.
fn restored_call(message: &Message) -> ToolCall {
    ToolCall {
        id: message.tool_call_id.clone().unwrap_or_default(),
        name: message.tool_name.clone().unwrap_or_else(|| "an earlier tool call".to_owned()),
        arguments: String::new(),
    }
}
