//! Collects the calls of a range of sections, in order.
//!
//! A call is an `Action:` section with its input, or a notation in prose. Whether a call is executed is decided in
//! `interpret`.

use std::borrow::Cow;
use std::ops::Range;

use super::action::{self, named, plausible_name};
use super::draft_call::{CallSource, DraftCall};
use super::fence;
use super::header::Header;
use super::notation::{self, Certainty, Notation, Written};
use super::parameters::{JsonFault, JsonStart, read_start};
use super::sections::Sections;
use super::tools::ReplyTools;

/// Maximum number of calls that are collected.
const MAX_CALLS: usize = 64;
/// The name of an action that is a final answer.
const FINAL_ANSWER: &str = "Final Answer";

/// The content of a range of sections.
#[derive(Debug, Default, Clone)]
pub(super) struct Draft<'r> {
    pub(super) thought: Option<Cow<'r, str>>,
    pub(super) calls: Vec<DraftCall<'r>>,
    /// The last input without an action.
    pub(super) input: Option<&'r str>,
    /// The first call in a notation that cannot be parsed.
    pub(super) broken: Option<JsonFault>,
    /// The call that the next input belongs to.
    open: Option<usize>,
}

impl<'r> Draft<'r> {
    /// Collects the content of the sections in a range.
    pub(super) fn of(sections: &Sections<'r>, range: Range<usize>, tools: ReplyTools<'_>) -> Self {
        let mut draft = Self::default();
        if range.start == 0 {
            draft.find_notations(sections.preamble());
        }
        for index in range.clone() {
            let mark = sections.marks()[index];
            let text = sections.text(index);
            match mark.header {
                Header::Thought => draft.think(text),
                Header::Action => draft.act(text, mark.recovered),
                Header::ActionInput => {
                    let before = if index > range.start {
                        prose_before(sections, index)
                    } else if range.start == 0 {
                        Some(sections.preamble())
                    } else {
                        None
                    };
                    draft.recover(before, tools);
                    draft.take_input(block(fence::without_stray(text)));
                }
                Header::FinalAnswer | Header::Observation => {}
            }
        }
        draft
    }

    /// Collects the notations in a text without sections.
    pub(super) fn of_prose(text: &'r str) -> Self {
        let mut draft = Self::default();
        draft.find_notations(text);
        draft
    }

    /// Sets the thought, unless it is empty and there is an earlier one.
    fn think(&mut self, text: &'r str) {
        let thought = fence::without_stray(text).trim();
        if !thought.is_empty() || self.thought.is_none() {
            self.thought = Some(Cow::Borrowed(thought));
        }
        self.find_notations(text);
    }

    /// Adds the calls that are written in other notations.
    fn find_notations(&mut self, text: &'r str) {
        for notation in notation::scan(text) {
            let before = text[..notation.range.start].trim();
            let thought = Some(before).filter(|before| !before.is_empty());
            let source = CallSource::Notation(notation.certainty);
            self.add_notation(notation, thought, source);
        }
    }

    fn add_notation(&mut self, notation: Notation, before: Option<&'r str>, source: CallSource) {
        let thought = notation.thought.map(Cow::Owned).or(before.map(Cow::Borrowed));
        let call = |name: String, input: String| DraftCall {
            thought: thought.clone(),
            name: Cow::Owned(name),
            source,
            arguments: None,
            input: Some(Cow::Owned(input)),
        };
        match notation.written {
            Written::Calls(calls) => {
                calls.into_iter().for_each(|written| self.add(call(written.name, written.input)));
            }
            Written::Answer(text) => self.add(call(FINAL_ANSWER.to_owned(), text)),
            Written::Broken(fault) => self.broken = self.broken.take().or(Some(fault)),
        }
    }

    fn add(&mut self, call: DraftCall<'r>) {
        if self.calls.len() < MAX_CALLS {
            self.calls.push(call);
        }
    }

    /// Adds the call of an `Action:` section.
    fn act(&mut self, text: &'r str, recovered: bool) {
        self.open = None;
        self.input = None;
        if let Some(answer) = action::answer_in_section(text) {
            let answer = Some(block(fence::without_stray(answer))).filter(|answer| !answer.is_empty());
            return self.open_call(
                Cow::Borrowed(FINAL_ANSWER),
                answer.map(Cow::Borrowed),
                CallSource::Section,
            );
        }
        if text.trim_start().starts_with(['{', '[', '<', '`'])
            && let Some(notation) = notation::first(text)
        {
            let (name, before) = (self.calls.len(), self.thought.clone());
            self.add_notation(notation, None, CallSource::Section);
            for call in &mut self.calls[name..] {
                call.thought = call.thought.take().or_else(|| before.clone());
            }
            return;
        }
        if let Some(action) = named(text) {
            let source = if recovered { CallSource::Recovered } else { CallSource::Section };
            self.open_call(Cow::Borrowed(action.name), action.arguments.map(Cow::Borrowed), source);
        }
    }

    /// Adds a call that takes the next input.
    fn open_call(&mut self, name: Cow<'r, str>, arguments: Option<Cow<'r, str>>, source: CallSource) {
        self.open = (self.calls.len() < MAX_CALLS).then_some(self.calls.len());
        self.add(DraftCall { thought: self.thought.clone(), name, source, arguments, input: None });
    }

    /// Uses the last line before an input as its action, if the line is a tool name.
    fn recover(&mut self, before: Option<&'r str>, tools: ReplyTools<'_>) {
        let Some(before) = before.map(str::trim_end) else { return };
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let Some(name) = recoverable_name(&before[line..], tools) else { return };
        if self.thought.as_deref() == Some(before.trim()) {
            self.thought = Some(Cow::Borrowed(before[..line].trim()));
        }
        self.open_call(Cow::Borrowed(name), None, CallSource::Recovered);
    }

    /// Adds an input to the open call. A second input is another call of the same tool.
    fn take_input(&mut self, input: &'r str) {
        let Some(call) = self.open.and_then(|open| self.calls.get_mut(open)) else {
            match notation::call_in_input(input) {
                Some(call) => {
                    self.open_call(Cow::Owned(call.name), None, CallSource::Section);
                    self.take_owned_input(call.input);
                }
                None => self.input = Some(input),
            }
            return;
        };
        if call.input.as_deref().is_none_or(str::is_empty) {
            call.input = Some(Cow::Borrowed(input));
            self.find_tags_after(input);
        } else if !input.is_empty() {
            let (name, source) = (call.name.clone(), call.source);
            self.open_call(name, None, source);
            self.take_input(input);
        }
    }

    /// Adds the calls in tags after the JSON of an input.
    fn find_tags_after(&mut self, input: &'r str) {
        let JsonStart::Value(_, length) = read_start(input) else { return };
        for notation in notation::scan(&input[length..]) {
            if notation.certainty == Certainty::Certain {
                self.add_notation(notation, None, CallSource::Section);
            }
        }
    }

    fn take_owned_input(&mut self, input: String) {
        if let Some(call) = self.open.and_then(|open| self.calls.get_mut(open)) {
            call.input = Some(Cow::Owned(input));
        }
        self.open = None;
    }
}

/// Returns the previous section if it can contain an action without a header.
fn prose_before<'r>(sections: &Sections<'r>, index: usize) -> Option<&'r str> {
    let before = index.checked_sub(1)?;
    let is_prose = matches!(sections.marks()[before].header, Header::Thought | Header::Observation);
    is_prose.then(|| sections.text(before))
}

/// Returns the name of a tool that a line consists of.
fn recoverable_name<'r>(line: &'r str, tools: ReplyTools<'_>) -> Option<&'r str> {
    let word = line.trim();
    let is_known = || !word.contains(char::is_whitespace) && tools.find(word).is_some();
    plausible_name(line).or_else(|| if !word.is_empty() && is_known() { Some(word) } else { None })
}

/// Returns the text without surrounding blank lines, keeping the indentation of its first line.
pub(super) fn block(text: &str) -> &str {
    let leading = text.len() - text.trim_start().len();
    let start = text[..leading].rfind('\n').map_or(leading, |end| end + 1);
    text[start..].trim_end()
}
