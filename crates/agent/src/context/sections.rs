//! Writes text in marked sections that content cannot break out of.
//!
//! Every mark is an HTML comment. Comments in content are escaped, and text in a mark or a property line is
//! reduced to one line.

use crate::escape::{escape_comments, one_line, short_line};

/// A text under construction.
#[derive(Debug, Default)]
pub(crate) struct SectionWriter(String);

/// Maximum length of a name in a mark.
const MAX_NAME: usize = 120;

impl SectionWriter {
    /// Writes a section between a start and an end mark.
    pub(crate) fn section(&mut self, kind: &str, name: &str, write: impl FnOnce(&mut Self)) {
        let name = short_line(name, MAX_NAME);
        self.block(&format!("<!-- {kind} START: {name} -->"));
        self.0.push('\n');
        write(self);
        self.new_line();
        self.0.extend(["<!-- ", kind, " END: ", &name, " -->"]);
    }

    /// Writes a numbered step of a trail. It has a start mark only and ends at the next mark.
    pub(crate) fn entry(&mut self, number: usize, heading: &str, tool: Option<&str>, content: &str) {
        let tool = tool.map(|tool| format!(": {}", short_line(tool, MAX_NAME))).unwrap_or_default();
        self.block(&format!("<!-- {number}. {heading}{tool} -->"));
        self.0.push('\n');
        self.content(content);
    }

    /// Writes a property on its own line.
    pub(crate) fn line(&mut self, name: &str, value: &str) {
        self.new_line();
        self.0.extend([&short_line(name, MAX_NAME), ": ", one_line(value).as_str()]);
    }

    /// Writes a property, if it is set.
    pub(crate) fn optional_line(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.line(name, value);
        }
    }

    /// Writes untrusted text in full.
    pub(crate) fn content(&mut self, content: &str) {
        self.0.push_str(escape_comments(content).trim_matches(['\r', '\n']));
    }

    /// Writes an item of a list on its own line.
    pub(crate) fn item(&mut self, item: &str) {
        self.new_line();
        self.0.extend(["- ", one_line(item).as_str()]);
    }

    /// Writes a text after an empty line.
    pub(crate) fn paragraph(&mut self, content: &str) {
        self.new_line();
        self.0.push('\n');
        self.content(content);
    }

    /// Returns the text.
    pub(crate) fn finish(self) -> String {
        self.0
    }

    /// Writes a mark after an empty line, except at the start of the text.
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
