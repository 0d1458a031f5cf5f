//! Replies of a function-calling model without function calls: the analysis, or a call that is written as text.

use std::sync::Arc;

use tarsy_domain::{Message, ModelReply, ToolDefinition};

use super::record::Record;
use super::reply::{
    InterpretedReply, PendingCall, ReplyContext, ReplyMeaning, conclusion, tool_call, without_calls,
};
use crate::react::{self, TextReply};

/// Minimum length in bytes of a text next to a call that can be an analysis. A shorter one announces the call.
const MIN_ANALYSIS: usize = 160;
const NO_MORE_CALLS: &str =
    "There are no more tools. Write your best analysis from what you know, as plain text.";

/// Interprets a reply without function calls: the analysis, or a call that the model wrote as text.
pub(super) fn text_reply(
    reply: &ModelReply,
    context: ReplyContext<'_>,
    record: &mut Record,
) -> InterpretedReply {
    match react::parse_text(&reply.text, context.tools) {
        TextReply::Analysis(analysis) => {
            InterpretedReply::new(conclusion(&analysis), reply, without_calls(reply))
        }
        TextReply::Faulty { feedback } => {
            let problem = feedback.lines().next().unwrap_or_default().to_owned();
            InterpretedReply::new(ReplyMeaning::Correct { problem, feedback }, reply, without_calls(reply))
        }
        TextReply::Call { action, text, not_executed } => {
            record.response(&text);
            let call = tool_call(format!("text-{}", context.iteration), action.name, action.parameters);
            // The provider state has the text and not the call, so it is dropped.
            let message = Message { tool_calls: vec![call.clone()], ..Message::assistant(text) };
            let meaning = ReplyMeaning::Act(vec![PendingCall::known(call, not_executed)]);
            InterpretedReply::new(meaning, reply, message)
        }
    }
}

/// Interprets a forced conclusion after function calling. A call is rejected, unless an analysis precedes it.
pub(super) fn text_conclusion(text: &str, tools: &[Arc<ToolDefinition>]) -> ReplyMeaning {
    match react::parse_text(text, tools) {
        TextReply::Analysis(analysis) => conclusion(&analysis),
        TextReply::Call { action, text, .. } if text.len() < MIN_ANALYSIS => ReplyMeaning::Correct {
            problem: format!("The model was to conclude, and asked for a tool instead: {}", action.name),
            feedback: NO_MORE_CALLS.to_owned(),
        },
        TextReply::Call { .. } | TextReply::Faulty { .. } => conclusion(text),
    }
}
