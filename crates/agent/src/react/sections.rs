//! Where each section of a reply begins: one walk over its lines.
//!
//! What counts as a header depends on where it stands. A thought ends at any header. An input and a final answer
//! are somebody's text and may hold header words of their own, so they end only at a header that stands at the
//! start of a line, no deeper and no smaller than their own. An observation before any action is a section that
//! nobody reads; one after it is made up, and ends the walk. Which section wins is decided in `reading`.

use super::action;
use super::feedback;
use super::fence::Fence;
use super::header::{self, FoundHeader, Header};

/// The sections of a reply, in order.
#[derive(Debug)]
pub(super) struct Sections<'r> {
    reply: &'r str,
    marks: Vec<SectionMark>,
    end: usize,
}

/// Where a section begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct SectionMark {
    pub(super) header: Header,
    /// Where the text before the header ends.
    start: usize,
    /// Where the text after the header begins.
    body: usize,
    /// An `Action` without its colon, believed because a tool's name follows.
    pub(super) recovered: bool,
    indentation: usize,
    lower_case: bool,
}

impl<'r> Sections<'r> {
    /// Finds the sections of a reply, up to where the model begins to invent a result.
    pub(super) fn of(reply: &'r str) -> Self {
        let mut walk = SectionWalk {
            sections: Self { reply, marks: Vec::new(), end: reply.len() },
            acted: false,
            answered: false,
            indentation: 0,
            fence: Fence::default(),
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

    /// Where the reply goes on after these sections with a result that the model made up.
    pub(super) fn invention(&self) -> Option<usize> {
        (self.end < self.reply.len()).then_some(self.end)
    }

    /// The headers in order.
    pub(super) fn marks(&self) -> &[SectionMark] {
        &self.marks
    }

    /// The text before the first header.
    pub(super) fn preamble(&self) -> &'r str {
        &self.reply[..self.marks.first().map_or(self.end, |mark| mark.start)]
    }

    /// The text of one section, up to the next header.
    pub(super) fn text(&self, index: usize) -> &'r str {
        let end = self.marks.get(index + 1).map_or(self.end, |next| next.start);
        self.marks.get(index).map_or("", |mark| &self.reply[mark.body..end])
    }

    /// The text from one section to the end of the reply, headers and all.
    pub(super) fn text_to_end(&self, index: usize) -> &'r str {
        self.marks.get(index).map_or("", |mark| &self.reply[mark.body..self.end])
    }
}

struct SectionWalk<'r> {
    sections: Sections<'r>,
    /// An action or its input has begun: from here on, the model can make up a result.
    acted: bool,
    /// A final answer has begun: from here on, only what stands at the start of a line can count.
    answered: bool,
    /// Of the current line.
    indentation: usize,
    fence: Fence,
}

impl SectionWalk<'_> {
    /// Takes one line in; `None` where the reply is to be cut.
    fn line(&mut self, start: usize, line: &str) -> Option<()> {
        self.indentation = header::indentation(line);
        let mut from = 0;
        if let Some(found) = header::at_start(line).filter(|found| self.admits(found)) {
            if found.header == Header::Observation {
                if feedback::is_echo(&line[found.end..]) {
                    return Some(());
                }
                if self.acted || self.answered {
                    return None;
                }
            }
            if !found.bare || found.header != Header::Action || self.tool_follows(start + line.len()) {
                self.begin(start, found);
                from = found.end;
            }
        } else if self.acted && !self.answered && line.trim_start().starts_with("[Based on") {
            return None;
        }
        self.fence.line(&line[from..]);
        self.rest_of_line(start, line, from);
        Some(())
    }

    /// Headers after the end of a sentence, in sections that are prose.
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
            // In a thought another one goes on: there is nothing to part them.
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

    /// Whether headers in the middle of a line can count here.
    fn is_prose(&self) -> bool {
        !self.answered && !self.is_in(Header::ActionInput)
    }

    /// Whether a header at the start of a line counts here.
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

    /// An answer may have a heading of that name, and prose a line that begins with the word.
    fn admits_observation(&self, found: &FoundHeader) -> bool {
        let in_style = !found.lower_case || self.current().is_some_and(|mark| mark.lower_case);
        in_style && !found.bare && !(found.decorated && self.answered)
    }

    fn begin(&mut self, line: usize, found: FoundHeader) {
        let recovered = found.bare && found.header == Header::Action;
        if recovered && self.answered {
            return;
        }
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
            indentation: self.indentation,
            lower_case: found.lower_case,
        });
    }

    fn current(&self) -> Option<&SectionMark> {
        self.sections.marks.last()
    }

    /// Whether the next line with text in it is a tool's name.
    fn tool_follows(&self, line_end: usize) -> bool {
        let next = self.sections.reply[line_end..].trim_start().lines().next();
        next.is_some_and(|line| action::plausible_name(line).is_some())
    }
}
