//! Calls and answers in the text of a function-calling reply.
//!
//! Small models write their calls as text instead of calling the bound tools. A final analysis can contain the
//! same words and examples in JSON, so the rules are stricter than in the ReAct loop: a call must name a tool that
//! exists, or use a notation that is never prose.

use std::sync::Arc;

use tarsy_domain::ToolDefinition;

use super::calls::Draft;
use super::complete::CompleteCall;
use super::draft_call::CallSource;
use super::feedback::{self, FormatFault};
use super::header::Header;
use super::interpret::Reading;
use super::notation::{self, RESULTS};
use super::tools::{ReplyTools, resolve};
use super::{Action, Intent, thinking, with_unix_line_breaks};

/// The meaning of a text without function calls.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TextReply {
    /// A tool call.
    Call {
        action: Action,
        /// The text without the call.
        text: String,
        /// Names of further calls, which are not executed.
        not_executed: Vec<String>,
    },
    /// A call that cannot be executed.
    Faulty {
        /// Feedback for the model.
        feedback: String,
    },
    /// The analysis, without a label and the thought before it.
    Analysis(String),
}

const HOW_TO_CONTINUE: &str = "Call the tool again, or write your final analysis as plain text.";

/// Parses the text of a reply without function calls.
pub(crate) fn parse_text(reply: &str, tools: &[Arc<ToolDefinition>]) -> TextReply {
    let text = with_unix_line_breaks(reply);
    let (_, body) = thinking::split(&text);
    let reading = Reading::of(body, ReplyTools::Known(tools));
    if let Some(reply) = section_call(&reading, tools).or_else(|| notation_call(&reading, body, tools)) {
        return reply;
    }
    TextReply::Analysis(labeled_answer(&reading).unwrap_or_else(|| reply.to_owned()))
}

/// Returns the call of an `Action:` section with an input, unless it is a part of the analysis.
fn section_call(reading: &Reading<'_, '_>, tools: &[Arc<ToolDefinition>]) -> Option<TextReply> {
    if reading.is_transcript() {
        return None;
    }
    let known = ReplyTools::Known(tools);
    // A reply that starts with a header is a turn of the loop, so the text after the input is no analysis.
    let is_turn = reading.preamble().trim().is_empty();
    let is_quoted = |call: &CompleteCall<'_>| {
        reading.is_quoted_in_answer(call) || (!is_turn && call.is_followed_by_text())
    };
    let is_section = |call: &CompleteCall<'_>| call.call.source == CallSource::Section && !is_quoted(call);
    let calls = || reading.complete_calls().filter(is_section);
    let is_known = |call: &CompleteCall<'_>| known.accepts(&call.name) && call.call.has_input();
    let is_unknown = |call: &CompleteCall<'_>| call.name.contains('.') && call.call.has_section();
    let call = calls().find(is_known).or_else(|| calls().find(is_unknown))?;
    let reply = reading.call(&call);
    let text = reply.thought.unwrap_or_else(|| reading.preamble().trim().to_owned());
    Some(text_reply(reply.intent, text, reply.not_executed))
}

/// Returns the call in another notation, before an answer with the label of the prompt.
fn notation_call(reading: &Reading<'_, '_>, body: &str, tools: &[Arc<ToolDefinition>]) -> Option<TextReply> {
    let known = ReplyTools::Known(tools);
    let before_answer = reading.text_before_answer();
    let searched = before_answer.unwrap_or(body);
    let draft = Draft::of_prose(searched);
    let calls: Vec<CompleteCall<'_>> =
        draft.calls.iter().filter_map(|call| CompleteCall::new(call, known)).collect();
    let is_call = |call: &&CompleteCall<'_>| match before_answer {
        Some(_) => call.beats_an_answer(),
        None => known.accepts(&call.name) || call.is_certain(),
    };
    let Some(call) = calls.iter().find(is_call) else {
        let fault = FormatFault::BrokenCall(draft.broken?);
        return Some(TextReply::Faulty { feedback: faulty(&fault) });
    };
    if let Some(answer) = call.answer().filter(|_| !known.accepts(&call.name)) {
        return Some(TextReply::Analysis(answer));
    }
    let intent = match (Action::parse(&call.name, &call.input, known), resolve(&call.name, tools)) {
        (Ok(action), Ok(_)) => Intent::Action(action),
        (Err(fault), Ok(_)) => {
            return Some(TextReply::Faulty { feedback: faulty(&FormatFault::BrokenCall(fault)) });
        }
        (_, Err(unknown)) => {
            return Some(TextReply::Faulty { feedback: feedback::unknown_tool(&unknown, tools) });
        }
    };
    let others = calls.iter().filter(|other| known.accepts(&other.name) && !std::ptr::eq(*other, call));
    let not_executed = others.map(|other| known.exact_name(&other.name)).collect();
    Some(text_reply(intent, text_around(searched), not_executed))
}

fn text_reply(intent: Intent, text: String, not_executed: Vec<String>) -> TextReply {
    match intent {
        Intent::Action(action) => TextReply::Call { action, text, not_executed },
        Intent::UnknownTool { feedback, .. } | Intent::Malformed { feedback, .. } => {
            TextReply::Faulty { feedback }
        }
        Intent::FinalAnswer(answer) => TextReply::Analysis(answer),
    }
}

fn faulty(fault: &FormatFault<'_>) -> String {
    format!("This reply could not be followed: {} {HOW_TO_CONTINUE}", feedback::explanation(fault))
}

/// Returns the text before the first notation, and the text after it if that is neither a result nor another call.
fn text_around(text: &str) -> String {
    let notations = notation::scan(text);
    let Some(first) = notations.first() else { return text.trim().to_owned() };
    let after = &text[first.range.end..];
    let is_kept = notations.len() == 1 && !RESULTS.iter().any(|result| after.contains(result));
    let parts = [&text[..first.range.start], if is_kept { after } else { "" }];
    let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n\n")
}

/// Returns the answer of a text that has the form of a ReAct reply: a thought, then an answer.
fn labeled_answer(reading: &Reading<'_, '_>) -> Option<String> {
    let first = reading.first_mark().filter(|_| reading.preamble().trim().is_empty())?;
    let is_react = match first.header {
        Header::Thought => true,
        Header::FinalAnswer => !first.ordinary,
        Header::Action | Header::ActionInput | Header::Observation => false,
    };
    match reading.reply().intent {
        Intent::FinalAnswer(answer) if is_react => Some(answer),
        Intent::FinalAnswer(_)
        | Intent::Action(_)
        | Intent::UnknownTool { .. }
        | Intent::Malformed { .. } => None,
    }
}
