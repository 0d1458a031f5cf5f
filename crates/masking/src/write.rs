//! The changes of one text: placeholders in place of spans, with quotation marks where the text needs them.

use crate::edit::Edit;
use crate::scalar::Scalars;
use crate::span::{Span, Wrap};

/// Writes placeholders, for spans in ascending order that do not overlap.
#[derive(Debug)]
pub(crate) struct Writer<'t> {
    text: &'t [u8],
    scalars: Scalars<'t>,
    edits: Vec<Edit>,
    /// Up to where the text was looked at.
    done: usize,
    /// The end of the YAML scalar that is being put into quotation marks.
    quoted_until: Option<usize>,
}

impl<'t> Writer<'t> {
    /// Nothing changed yet.
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Self { text, scalars: Scalars::new(text), edits: Vec::new(), done: 0, quoted_until: None }
    }

    /// Writes a placeholder in place of a span.
    pub(crate) fn replace(&mut self, span: Span, placeholder: String) {
        self.go_to(span.start);
        if span.wrap == Wrap::AsNeeded
            && self.quoted_until.is_none()
            && let Some((start, end)) = self.scalars.quoted(span)
            && start >= self.done
        {
            self.insert(start);
            self.done = start;
            self.quoted_until = Some(end);
            self.go_to(span.start);
        }
        self.quoted_until = self.quoted_until.map(|end| end.max(span.end));
        let text = match span.wrap {
            Wrap::AsNeeded | Wrap::Never => placeholder,
            Wrap::Quotes(mark) => format!("{}{placeholder}{}", char::from(mark), char::from(mark)),
        };
        self.edits.push(Edit { start: span.start, end: span.end, text });
        self.done = span.end;
    }

    /// All changes.
    pub(crate) fn finish(mut self) -> Vec<Edit> {
        self.go_to(self.text.len());
        self.edits
    }

    /// Goes on to a place. Inside of a scalar that gets quotation marks, those it has are doubled.
    fn go_to(&mut self, to: usize) {
        let Some(end) = self.quoted_until else { return };
        let stop = end.min(to);
        let marks = self.text.get(self.done..stop).unwrap_or_default().iter().enumerate();
        let marks: Vec<usize> =
            marks.filter(|(_, byte)| **byte == b'\'').map(|(at, _)| self.done + at).collect();
        marks.into_iter().for_each(|at| self.insert(at));
        self.done = stop;
        if end <= to {
            self.insert(end);
            self.quoted_until = None;
        }
    }

    fn insert(&mut self, at: usize) {
        self.edits.push(Edit { start: at, end: at, text: "'".to_owned() });
    }
}
