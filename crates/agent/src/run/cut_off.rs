//! Replies that end at the output limit of the model.
//!
//! A conclusion that was cut off is continued: the model is asked for the rest, at most twice, and the
//! pieces are joined. What is still incomplete then is accepted and says so in its last line. A tool call
//! that may be incomplete is not executed; the model is asked for a shorter reply.

use serde_json::{Map, Value, json};
use tarsy_domain::{LoopKind, Message, ModelReply, TimelineEventType};

use super::outcome::ConclusionCause;
use super::record::{Record, ThoughtSource};
use super::reply::{self, InterpretedReply, ReplyMeaning};
use super::seam::{join, with_closed_fence};
use super::{AgentRun, Purpose};
use crate::react;

/// Maximum number of requests to continue one conclusion.
const MAX_CONTINUATIONS: u32 = 2;
const CONTINUE: &str =
    "Your reply was cut off at the output limit. Continue exactly where it stopped; do not repeat anything.";
const INCOMPLETE: &str =
    "**This analysis is incomplete:** the output limit of the model was reached, and the rest is missing.";
const SHORTER_CALL: &str = "Your reply was cut off at the output limit before the tool call was complete, so nothing was called. \
     Write a shorter reply: at most two sentences, then the tool call.";
const SHORTER_TURN: &str = "Your reply was cut off at the output limit before it contained an action or a final answer. Write a \
     shorter reply: a `Thought:` of at most two sentences, then either an `Action:` with its `Action Input:`, or a \
     `Final Answer:`.";

/// A conclusion that ends at the output limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnfinishedConclusion {
    /// The pieces so far, joined.
    text: String,
    /// Number of requests to continue it.
    requests: u32,
}

impl UnfinishedConclusion {
    /// Returns the conclusion of a reply that was cut off. White space at the end of the reply is kept: the
    /// next piece continues after it.
    pub(super) fn new(analysis: &str, reply: &ModelReply) -> Self {
        let written = reply.text.trim_end();
        let space = if written.ends_with(analysis) { &reply.text[written.len()..] } else { "" };
        Self { text: format!("{analysis}{space}"), requests: 0 }
    }
}

impl AgentRun {
    /// Requests the rest of a conclusion, or accepts it as it is if no further request is possible.
    pub(super) fn request_rest(
        &mut self,
        purpose: Purpose,
        unfinished: UnfinishedConclusion,
        record: &mut Record,
    ) {
        if unfinished.requests >= MAX_CONTINUATIONS || !self.may_call_again(purpose) {
            return self.accept_unfinished(&unfinished, record);
        }
        self.last_text = reply::some_text(&unfinished.text).or(self.last_text.take());
        self.unfinished = Some(UnfinishedConclusion { requests: unfinished.requests + 1, ..unfinished });
        self.say(record, Message::user(CONTINUE));
        self.call_again(purpose, record);
    }

    /// Applies the reply to a request for the rest of a conclusion. Returns whether it is one; otherwise the
    /// model called a tool instead, and the reply is an ordinary one.
    pub(super) fn continued(&mut self, purpose: Purpose, reply: &ModelReply, record: &mut Record) -> bool {
        let Some(mut unfinished) = self.unfinished.take() else { return false };
        let InterpretedReply { meaning, message, .. } =
            reply::interpret(reply, self.reply_context(purpose), &mut Record::default());
        // Labels and calls in the middle of the rest are a part of the analysis.
        let is_turn = react::starts_turn(&reply.text);
        let piece = match &meaning {
            ReplyMeaning::Act(_) if is_turn || !reply.tool_calls.is_empty() => return false,
            ReplyMeaning::Empty => "",
            ReplyMeaning::Conclude(answer) if is_turn => answer,
            ReplyMeaning::Act(_) | ReplyMeaning::Conclude(_) | ReplyMeaning::Correct { .. } => &reply.text,
        };
        record.thought(ThoughtSource::Native, &reply.thinking);
        record.vendor_tools(reply);
        let Some(message) = message else {
            self.accept_unfinished(&unfinished, record);
            return true;
        };
        self.failures.replied();
        self.say(record, message);
        unfinished.text = join(&unfinished.text, piece, !reply.cut_off);
        if reply.cut_off {
            self.request_rest(purpose, unfinished, record);
        } else {
            self.conclude(unfinished.text.trim_end().to_owned(), purpose.conclusion_cause(), record);
        }
        true
    }

    /// Ends the run with a conclusion whose rest is missing.
    pub(super) fn accept_unfinished(&mut self, unfinished: &UnfinishedConclusion, record: &mut Record) {
        let warning = "The analysis is incomplete: the output limit of the model was reached.";
        record.add(TimelineEventType::Warning, warning, json!({ "source": "output_limit" }));
        let analysis = format!("{}\n\n{INCOMPLETE}", with_closed_fence(&unfinished.text));
        self.conclude(analysis, ConclusionCause::CutOff, record);
    }
}

/// Rejects what a reply that was cut off may not have completed: a tool call, or a turn of ReAct without an
/// action and an answer. `loop_kind` is the loop of the reply, `None` for a forced conclusion.
pub(super) fn without_incomplete_parts(
    interpreted: InterpretedReply,
    reply: &ModelReply,
    loop_kind: Option<LoopKind>,
) -> InterpretedReply {
    let feedback = match (&interpreted.meaning, loop_kind) {
        (ReplyMeaning::Act(_), _) if !calls_are_complete(reply) => SHORTER_CALL,
        (ReplyMeaning::Correct { .. }, Some(LoopKind::React)) => SHORTER_TURN,
        (ReplyMeaning::Correct { .. }, Some(LoopKind::FunctionCalling)) => SHORTER_CALL,
        (ReplyMeaning::Correct { .. }, Some(LoopKind::SingleShot) | None)
        | (ReplyMeaning::Act(_) | ReplyMeaning::Conclude(_) | ReplyMeaning::Empty, _) => return interpreted,
    };
    let meaning = ReplyMeaning::Correct {
        problem: "The reply was cut off at the output limit of the model".to_owned(),
        feedback: feedback.to_owned(),
    };
    // The state of the provider contains the incomplete call.
    let message = Message::assistant(react::without_invention(&reply.text));
    let message = Some(message).filter(|message| !message.content.trim().is_empty());
    InterpretedReply { meaning, message, ..interpreted }
}

/// Returns whether all tool calls of a reply that was cut off are certainly complete.
fn calls_are_complete(reply: &ModelReply) -> bool {
    if reply.tool_calls.is_empty() {
        return text_call_is_complete(&reply.text);
    }
    reply.tool_calls.iter().all(|call| is_object(&call.arguments))
}

/// Returns whether a call that is written as text is followed by other text, or ends with a complete JSON
/// object.
fn text_call_is_complete(text: &str) -> bool {
    const CLOSED: [&str; 4] = ["</tool_call>", "</function>", "</invoke>", "[/TOOL_CALLS]"];
    let text = text.trim_end();
    if react::without_invention(text).trim_end().len() < text.len()
        || CLOSED.iter().any(|end| text.ends_with(end))
    {
        return true;
    }
    let lower = text.to_ascii_lowercase();
    let labels = ["input:", "parameters:", "arguments:", "args:"];
    let after_label = labels.iter().filter_map(|label| lower.rfind(label)).max().unwrap_or(0);
    let Some(start) = text[after_label..].find('{') else { return false };
    is_object(text[after_label + start..].trim_end_matches('`'))
}

fn is_object(text: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_at_the_end_of_the_text_must_be_a_complete_object() {
        let cases = [
            ("Action: a.b\nAction Input: {\"x\": 1}", true),
            ("Action: a.b\nAction Input: ```json\n{\"x\": {\"y\": 1}}\n```", true),
            ("Action: a.b\nAction Input: {\"x\": {\"y\": 1}", false),
            ("Action: a.b\nAction Input: {\"x\": \"sho", false),
            ("Action: a.b\nAction Input: namespace: sho", false),
            ("Action: a.b\nAction Input: ", false),
            ("Action: a.b\nAction Input: {}\nObservation: pods {", true),
            ("<tool_call>{\"name\": \"a.b\", \"arguments\": {\"x\": 1}}</tool_call>", true),
            ("<tool_call>{\"name\": \"a.b\", \"arguments\": {\"x\": 1", false),
            ("Thought: {odd}\nAction: a.b\nAction Input: {\"x\": 1}", true),
        ];
        for (text, expected) in cases {
            assert_eq!(text_call_is_complete(text), expected, "{text}");
        }
    }
}
