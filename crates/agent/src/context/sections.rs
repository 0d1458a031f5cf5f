//! Text in marked parts: a writer that keeps content from touching the marks.
//!
//! Every mark is an HTML comment. Whatever is written between marks has its comments escaped, and whatever is
//! written into a mark or a line of facts is brought onto one line first.

use crate::escape::{escape_comments, one_line, short_line};

/// A text that grows by parts.
#[derive(Debug, Default)]
pub(crate) struct SectionWriter(String);

/// Longer names are cut: a mark is for finding one's way.
const MAX_NAME: usize = 120;

impl SectionWriter {
    /// A part between a start and an end mark.
    pub(crate) fn part(&mut self, kind: &str, name: &str, write: impl FnOnce(&mut Self)) {
        let name = short_line(name, MAX_NAME);
        self.block(&format!("<!-- {kind} START: {name} -->"));
        self.0.push('\n');
        write(self);
        self.new_line();
        self.0.extend(["<!-- ", kind, " END: ", &name, " -->"]);
    }

    /// A numbered step of a trail. Its mark stands before it; it ends where the next mark begins.
    pub(crate) fn entry(&mut self, number: usize, heading: &str, tool: Option<&str>, content: &str) {
        let tool = tool.map(|tool| format!(": {}", short_line(tool, MAX_NAME))).unwrap_or_default();
        self.block(&format!("<!-- {number}. {heading}{tool} -->"));
        self.0.push('\n');
        self.content(content);
    }

    /// A fact on a line of its own.
    pub(crate) fn line(&mut self, name: &str, value: &str) {
        self.new_line();
        self.0.extend([&short_line(name, MAX_NAME), ": ", one_line(value).as_str()]);
    }

    /// A fact, if it is known.
    pub(crate) fn optional_line(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.line(name, value);
        }
    }

    /// Text from elsewhere, whole.
    pub(crate) fn content(&mut self, content: &str) {
        self.0.push_str(escape_comments(content).trim_matches(['\r', '\n']));
    }

    /// The text.
    pub(crate) fn finish(self) -> String {
        self.0
    }

    /// Begins after an empty line, except right after a start mark and at the beginning.
    fn block(&mut self, mark: &str) {
        if !self.0.is_empty() {
            self.new_line();
            self.0.push('\n');
        }
        self.0.push_str(mark);
    }

    fn new_line(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with('\n') {
            self.0.push('\n');
        }
    }
}
