//! Decides what a reply requests.
//!
//! The first complete action is executed, and the first final answer counts. A complete action takes precedence
//! over a final answer, unless it was recovered, is JSON in prose, or names no tool: some models write
//! `Action: Finish` when they are done. An action in an answer whose text continues after it is a quotation. A final
//! answer that counts extends to the end of the reply.

use super::action::{self, Action};
use super::calls::{Draft, block};
use super::complete::CompleteCall;
use super::draft_call::{CallSource, DraftCall};
use super::feedback::{self, FormatFault};
use super::fence;
use super::header::Header;
use super::notation::Certainty;
use super::sections::{SectionMark, Sections};
use super::tools::{ReplyTools, resolve};
use super::{Intent, ReactReply};

/// Maximum number of calls that are named as not executed.
const MAX_NOT_EXECUTED: usize = 16;

/// What was found in a reply, with the tools to judge it.
pub(super) struct Reading<'r, 't> {
    sections: Sections<'r>,
    tools: ReplyTools<'t>,
    /// The sections before the answer.
    before: Draft<'r>,
    /// The sections after the start of the answer.
    after: Draft<'r>,
    answer: Option<usize>,
}

/// Interprets the text of a reply.
pub(super) fn interpret(reply: &str, tools: ReplyTools<'_>) -> ReactReply {
    Reading::of(reply, tools).reply()
}

/// Returns the offset of a tool result or a turn that the model invented.
pub(super) fn invention(reply: &str) -> Option<usize> {
    Sections::of(reply).invention()
}

/// Returns the section of the answer: the first with the label of the prompt, or else the first with another one.
fn answer_of(sections: &Sections<'_>) -> Option<usize> {
    let first = |ordinary: bool| {
        let is_answer = |mark: &SectionMark| mark.header == Header::FinalAnswer;
        sections.marks().iter().position(|mark| is_answer(mark) && mark.ordinary == ordinary)
    };
    first(false).or_else(|| first(true))
}

/// Returns whether an answer is the placeholder of the prompt, as in `<your answer in Markdown>`.
fn is_placeholder(answer: &str) -> bool {
    let inside = answer.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
    inside.is_some_and(|text| text.starts_with("your ") && !text.contains(['<', '>', '\n']))
}

impl<'r, 't> Reading<'r, 't> {
    /// Finds the sections and calls of a reply.
    pub(super) fn of(reply: &'r str, tools: ReplyTools<'t>) -> Self {
        let sections = Sections::of(reply);
        let answer = answer_of(&sections);
        let count = sections.marks().len();
        let before = Draft::of(&sections, 0..answer.unwrap_or(count), tools);
        let after = answer.map(|answer| Draft::of(&sections, answer + 1..count, tools)).unwrap_or_default();
        Self { sections, tools, before, after, answer }
    }

    pub(super) fn reply(&self) -> ReactReply {
        let Some(answer) = self.answer else { return self.without_answer() };
        let is_meant = |call: &CompleteCall<'_>| call.beats_an_answer() && !self.is_quoted_in_answer(call);
        let mut calls = self.complete_calls().filter(is_meant);
        if let Some(call) = calls.clone().find(|call| call.is_proper(self.tools)) {
            return self.call(&call);
        }
        let text = block(fence::without_stray(self.sections.text_to_end(answer)));
        if let Some(call) = self.call_in_answer(answer, text) {
            return call;
        }
        let text = if is_placeholder(text) { "" } else { text };
        match (text, calls.next()) {
            ("", Some(call)) => self.call(&call),
            ("", None) if self.is_cut() => self.malformed(&FormatFault::StoppedAtResult),
            ("", None) => self.malformed(&FormatFault::EmptyAnswer),
            (text, _) => self.answered(self.before.thought.as_deref(), text.to_owned()),
        }
    }

    /// Returns the text before the first header.
    pub(super) fn preamble(&self) -> &'r str {
        self.sections.preamble()
    }

    /// Returns whether the sections are a transcript that the text quotes: behind quote marks, or in a report.
    pub(super) fn is_transcript(&self) -> bool {
        self.sections.has_quoted_action() || (self.is_cut() && self.sections.follows_report())
    }

    pub(super) fn first_mark(&self) -> Option<&SectionMark> {
        self.sections.marks().first()
    }

    /// Returns the text before an answer with the label of the prompt.
    pub(super) fn text_before_answer(&self) -> Option<&'r str> {
        let answer = self.answer.filter(|answer| !self.sections.marks()[*answer].ordinary)?;
        Some(self.sections.text_before(answer))
    }

    fn without_answer(&self) -> ReactReply {
        let is_meant = |call: &CompleteCall<'_>| call.is_proper(self.tools) || call.answer().is_some();
        let mut calls = self.complete_calls();
        let meant = calls.clone().filter(CompleteCall::is_certain).find(is_meant);
        let meant = meant.or_else(|| calls.clone().find(|call| call.is_proper(self.tools)));
        if let Some(call) = meant.or_else(|| calls.clone().find(CompleteCall::is_certain)) {
            return match call.answer().filter(|_| !call.is_proper(self.tools)) {
                Some(answer) => self.answered(call.thought(&self.before), answer),
                None => self.call(&call),
            };
        }
        if let Some(fault) = &self.before.broken {
            return self.malformed(&FormatFault::BrokenCall(fault.clone()));
        }
        match calls.find(|call| call.call.has_input() && call.name.contains('.')) {
            Some(call) if self.before.input.is_none() => self.call(&call),
            Some(_) | None => self.malformed(&self.fault()),
        }
    }

    /// Returns the calls with an input, in order.
    pub(super) fn complete_calls(&self) -> impl Iterator<Item = CompleteCall<'_>> + Clone {
        let calls = self.before.calls.iter().chain(&self.after.calls);
        calls.filter_map(|call| CompleteCall::new(call, self.tools))
    }

    /// Returns whether a call is a part of the answer: the text of the answer continues after it.
    pub(super) fn is_quoted_in_answer(&self, call: &CompleteCall<'_>) -> bool {
        let is_after = self.after.calls.iter().any(|after| std::ptr::eq(after, call.call));
        is_after && call.is_followed_by_text()
    }

    /// Returns the call that is the whole text of an answer, or a tag in an answer with an ordinary label.
    fn call_in_answer(&self, answer: usize, text: &str) -> Option<ReactReply> {
        let is_ordinary = self.sections.marks()[answer].ordinary;
        let may_start = text.starts_with(['{', '<', '[', '`']);
        if !is_ordinary && !may_start {
            return None;
        }
        let draft = Draft::of_prose(text);
        let call = draft.calls.iter().find(|call| call.source == CallSource::Notation(Certainty::Certain));
        let call = CompleteCall::new(call?, self.tools).filter(|call| call.is_proper(self.tools))?;
        let is_whole = may_start && call.call.thought.is_none();
        (is_ordinary || is_whole).then(|| self.call(&call))
    }

    fn answered(&self, thought: Option<&str>, answer: String) -> ReactReply {
        ReactReply {
            thought: thought.map(str::to_owned),
            intent: Intent::FinalAnswer(answer),
            not_executed: Vec::new(),
        }
    }

    pub(super) fn call(&self, call: &CompleteCall<'_>) -> ReactReply {
        let thought = call.thought(&self.before).or(call.thought(&self.after)).map(str::to_owned);
        let not_executed = self.not_executed(call);
        let intent = match Action::parse(&call.name, &call.input, self.tools) {
            Ok(action) => self.intent(action),
            Err(fault) => Intent::Malformed {
                action: Some(call.name.clone().into_owned()),
                input: Some(call.input.clone().into_owned()),
                feedback: feedback::malformed(&FormatFault::BrokenInput(fault)),
            },
        };
        ReactReply { thought, intent, not_executed }
    }

    fn intent(&self, action: Action) -> Intent {
        match self.tools {
            ReplyTools::Any if action.name.contains('.') => Intent::Action(action),
            ReplyTools::Any => {
                Intent::UnknownTool { feedback: feedback::not_a_tool_name(&action.name), action }
            }
            ReplyTools::Known(tools) => match resolve(&action.name, tools) {
                Ok(_) => Intent::Action(action),
                Err(unknown) => {
                    Intent::UnknownTool { feedback: feedback::unknown_tool(&unknown, tools), action }
                }
            },
        }
    }

    /// Returns the names of the other calls, except repetitions of the executed one.
    fn not_executed(&self, executed: &CompleteCall<'_>) -> Vec<String> {
        let is_other = |call: &&DraftCall<'_>| {
            let input = call.input(self.tools);
            let is_same = call.name == executed.call.name && input == executed.call.input(self.tools);
            let is_call = call.source != CallSource::Notation(Certainty::Possible)
                || executed.call.source == CallSource::Notation(Certainty::Possible);
            is_call && !is_same && (self.tools.accepts(&call.name) || call.name.contains('.'))
        };
        let mut names = Vec::new();
        for call in self.before.calls.iter().chain(&self.after.calls).filter(is_other) {
            let name = self.tools.exact_name(&call.name);
            if !names.contains(&name) && names.len() < MAX_NOT_EXECUTED {
                names.push(name);
            }
        }
        names
    }

    fn is_cut(&self) -> bool {
        self.sections.invention().is_some()
    }

    fn fault(&self) -> FormatFault<'_> {
        if self.is_cut() {
            return FormatFault::StoppedAtResult;
        }
        match (self.before.calls.last(), self.before.input, &self.before.thought) {
            (Some(call), None, _) if action::is_answer(&call.name) => FormatFault::EmptyAnswer,
            (Some(call), None, _) if call.source != CallSource::Notation(Certainty::Possible) => {
                FormatFault::ActionWithoutInput { tool: self.tools.find(&call.name) }
            }
            (_, Some(_), _) => FormatFault::InputWithoutAction,
            (_, None, Some(_)) => FormatFault::ThoughtOnly,
            (_, None, None) => FormatFault::NothingRecognized,
        }
    }

    fn malformed(&self, fault: &FormatFault<'_>) -> ReactReply {
        let action = self.before.calls.last().map(|call| call.name.clone().into_owned());
        ReactReply {
            thought: self.before.thought.as_deref().map(str::to_owned),
            intent: Intent::Malformed {
                action,
                input: self.before.input.map(str::to_owned),
                feedback: feedback::malformed(fault),
            },
            not_executed: Vec::new(),
        }
    }
}
