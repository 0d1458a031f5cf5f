//! Finds the sections of a reply in one walk over its lines.
//!
//! Whether a header counts depends on its position. A thought ends at any header. An input or a final answer
//! can contain header words, so it ends only at a header at the start of a line. That header must not be
//! indented deeper than the header of the section, and must not be in lower case unless the header of the
//! section is. An observation before any action is a section that is ignored; one after an action is invented
//! and ends the walk. After an answer, an observation or another turn of the conversation ends the walk only if the
//! model continues the loop below it: otherwise it is a line of the answer. Headers in a list, and labels
//! that can be ordinary words, count only where they cannot be prose: never inside an answer. `interpret`
//! decides which sections count.

use super::action;
use super::feedback;
use super::fence::Fence;
use super::header::{self, FoundHeader, Header};
use super::preamble::{self, Preamble};
use super::turn::{self, TurnLabel};

/// The sections of a reply, in order.
#[derive(Debug)]
pub(super) struct Sections<'r> {
    reply: &'r str,
    marks: Vec<SectionMark>,
    end: usize,
}

/// The start of a section.
#[derive(Debug, Clone, Copy)]
pub(super) struct SectionMark {
    pub(super) header: Header,
    /// End of the text before the header.
    start: usize,
    /// Start of the text after the header.
    body: usize,
    /// Whether it is an `Action` without a colon, accepted because a tool name follows.
    pub(super) recovered: bool,
    /// Whether its label can also be an ordinary word.
    pub(super) ordinary: bool,
    indentation: usize,
    lower_case: bool,
    listed: bool,
}

impl<'r> Sections<'r> {
    /// Finds the sections of a reply, up to an invented result.
    pub(super) fn of(reply: &'r str) -> Self {
        let mut walk = SectionWalk {
            sections: Self { reply, marks: Vec::new(), end: reply.len() },
            acted: false,
            answered: false,
            preamble: Preamble::Blank,
            indentation: 0,
            fence: Fence::default(),
            has_parts: false,
            last_reply: None,
        };
        let mut start = 0;
        for line in reply.split_inclusive('\n') {
            if walk.line(start, line.trim_end_matches('\n')).is_none() {
                walk.sections.end = start;
                break;
            }
            start += line.len();
        }
        walk.sections
    }

    /// Returns the offset of a result or a turn that the model invented.
    pub(super) fn invention(&self) -> Option<usize> {
        (self.end < self.reply.len()).then_some(self.end)
    }

    /// Returns the headers in order.
    pub(super) fn marks(&self) -> &[SectionMark] {
        &self.marks
    }

    /// Returns the text before the first header.
    pub(super) fn preamble(&self) -> &'r str {
        &self.reply[..self.marks.first().map_or(self.end, |mark| mark.start)]
    }

    /// Returns whether an action is behind a quote mark.
    pub(super) fn has_quoted_action(&self) -> bool {
        let is_quoted = |mark: &SectionMark| self.reply[mark.start..].trim_start().starts_with('>');
        self.marks.iter().any(|mark| mark.header == Header::Action && is_quoted(mark))
    }

    /// Returns whether the text before the first header is a report.
    pub(super) fn follows_report(&self) -> bool {
        self.preamble().lines().fold(Preamble::Blank, Preamble::with) == Preamble::Report
    }

    /// Returns the text before the header of one section.
    pub(super) fn text_before(&self, index: usize) -> &'r str {
        self.marks.get(index).map_or("", |mark| &self.reply[..mark.start])
    }

    /// Returns the text of one section, up to the next header.
    pub(super) fn text(&self, index: usize) -> &'r str {
        let end = self.marks.get(index + 1).map_or(self.end, |next| next.start);
        self.marks.get(index).map_or("", |mark| &self.reply[mark.body..end])
    }

    /// Returns the text from one section to the end of the reply, including headers.
    pub(super) fn text_to_end(&self, index: usize) -> &'r str {
        self.marks.get(index).map_or("", |mark| &self.reply[mark.body..self.end])
    }
}

struct SectionWalk<'r> {
    sections: Sections<'r>,
    /// Whether an action or input has started: from then on, the model can invent a result.
    acted: bool,
    /// Whether a final answer has started: from then on, only headers at the start of a line count.
    answered: bool,
    preamble: Preamble,
    /// Indentation of the current line.
    indentation: usize,
    fence: Fence,
    /// Whether the current section has headings or bold labels, as a report has.
    has_parts: bool,
    /// Offset of the last line that starts a reply, once it was needed.
    last_reply: Option<Option<usize>>,
}

impl SectionWalk<'_> {
    /// Processes one line; returns `None` if the reply must be cut before it.
    fn line(&mut self, start: usize, line: &str) -> Option<()> {
        self.indentation = header::indentation(line);
        let below = start + line.len();
        if self.answered && !self.fence.is_open() && self.starts_turn(line, below) {
            return None;
        }
        let mut from = 0;
        let found = header::at_start(line);
        let rest = found.map_or(below, |found| start + found.end);
        if let Some(found) = found.filter(|found| self.admits(found) && self.is_header(found, rest)) {
            if found.header == Header::Observation {
                if feedback::is_echo(&line[found.end..]) {
                    return Some(());
                }
                if self.acted || (self.answered && self.loop_continues(below)) {
                    return None;
                }
                if self.answered {
                    return Some(());
                }
            }
            if !found.bare || found.header != Header::Action || self.tool_follows(below) {
                self.begin(start, found);
                from = found.end;
            }
        } else if self.acted && !self.answered && line.trim_start().starts_with("[Based on") {
            return None;
        }
        if self.sections.marks.is_empty() {
            self.preamble = self.preamble.with(line);
        }
        self.has_parts |= from == 0 && preamble::is_part(line);
        self.fence.line(&line[from..]);
        self.rest_of_line(start, line, from);
        Some(())
    }

    /// Finds headers after the end of a sentence, in sections that are prose.
    fn rest_of_line(&mut self, start: usize, line: &str, mut from: usize) {
        while let Some(found) = self.next_in_line(line, from) {
            self.begin(start, found);
            from = found.end;
        }
        if self.is_prose()
            && let Some(found) = header::trailing_action(line, from)
            && self.tool_follows(start + line.len())
        {
            self.begin(start, found);
        }
    }

    fn next_in_line(&self, line: &str, mut from: usize) -> Option<FoundHeader> {
        while self.is_prose() {
            let found = header::in_line(line, from, self.is_in(Header::Action))?;
            // A thought within a thought continues it.
            if found.header != Header::Thought || !self.is_in(Header::Thought) {
                return Some(found);
            }
            from = found.end;
        }
        None
    }

    fn is_in(&self, header: Header) -> bool {
        self.current().is_some_and(|mark| mark.header == header)
    }

    /// Returns whether headers in the middle of a line count in the current section.
    fn is_prose(&self) -> bool {
        !self.answered && !self.is_in(Header::ActionInput)
    }

    /// Returns whether a header at the start of a line counts in the current section.
    fn admits(&self, found: &FoundHeader) -> bool {
        if found.header == Header::Observation && !self.admits_observation(found) {
            return false;
        }
        let Some(current) = self.current() else { return true };
        let stands_out = self.indentation <= current.indentation && (!found.lower_case || current.lower_case);
        match current.header {
            Header::Thought | Header::Action | Header::Observation => true,
            Header::ActionInput => stands_out,
            Header::FinalAnswer => stands_out && !self.fence.is_open(),
        }
    }

    /// Returns whether a header in a list, or with a label that can be an ordinary word, is a header. `rest` is the
    /// offset of the text after it.
    fn is_header(&self, found: &FoundHeader, rest: usize) -> bool {
        if !found.listed && !found.ordinary {
            return true;
        }
        let is_listed = self.current().is_none_or(|mark| mark.listed);
        let in_style =
            !found.lower_case || found.decorated || self.current().is_some_and(|mark| mark.lower_case);
        let in_data = self.is_in(Header::ActionInput) && found.listed && !is_listed;
        if self.answered || in_data {
            return false;
        }
        match found.header {
            Header::Action => action::name_follows(&self.sections.reply[rest..]),
            Header::ActionInput => !found.ordinary || self.is_in(Header::Action),
            Header::FinalAnswer => in_style && (!found.ordinary || self.is_answer_label()),
            Header::Thought => is_listed || !self.is_in(Header::Thought),
            Header::Observation => !found.listed || (self.acted && is_listed),
        }
    }

    /// Returns whether a label such as `Conclusion:` starts the answer, and is not the last part of a report: then the
    /// parts before it would be lost.
    fn is_answer_label(&self) -> bool {
        let in_turn = self.sections.marks.iter().any(|mark| mark.header != Header::Observation);
        if in_turn { !self.has_parts } else { self.preamble == Preamble::Blank }
    }

    /// Returns whether a line after an answer starts a turn that the model invented, and is not a line of the answer.
    fn starts_turn(&mut self, line: &str, below: usize) -> bool {
        let reply = self.sections.reply;
        let ends_reply = || reply[below..].trim_start().is_empty();
        turn::starts_with_token(line)
            || turn::label(line).is_some_and(|label| {
                self.loop_continues(below) || (label == TurnLabel::Request && ends_reply())
            })
    }

    /// Returns whether the model continues the loop below an offset, with another thought, input or answer.
    fn loop_continues(&mut self, below: usize) -> bool {
        let reply = self.sections.reply;
        let last = *self.last_reply.get_or_insert_with(|| turn::last_reply(reply));
        last.is_some_and(|last| last >= below)
    }

    /// Returns whether an observation counts. An answer can have a heading with that name, and a line of
    /// prose can start with the word.
    fn admits_observation(&self, found: &FoundHeader) -> bool {
        let in_style = !found.lower_case || self.current().is_some_and(|mark| mark.lower_case);
        in_style && !found.bare && !(found.decorated && self.answered)
    }

    fn begin(&mut self, line: usize, found: FoundHeader) {
        let recovered = found.bare && found.header == Header::Action;
        if recovered && self.answered {
            return;
        }
        self.has_parts = false;
        self.acted |= matches!(found.header, Header::Action | Header::ActionInput);
        if found.header == Header::FinalAnswer {
            self.answered = true;
            self.fence.begin_answer();
        }
        self.sections.marks.push(SectionMark {
            header: found.header,
            start: line + found.start,
            body: line + found.end,
            recovered,
            ordinary: found.ordinary,
            indentation: self.indentation,
            lower_case: found.lower_case,
            listed: found.listed,
        });
    }

    fn current(&self) -> Option<&SectionMark> {
        self.sections.marks.last()
    }

    /// Returns whether the next line that is not blank is a tool name.
    fn tool_follows(&self, line_end: usize) -> bool {
        let next = self.sections.reply[line_end..].trim_start().lines().next();
        next.is_some_and(|line| action::plausible_name(line).is_some())
    }
}
