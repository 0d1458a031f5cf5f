//! Converts spans to edits: placeholders, with quotation marks where the syntax needs them.

use crate::edit::Edit;
use crate::scalar::Scalars;
use crate::span::{Span, Wrap};

/// Collects edits for spans that are sorted and do not overlap.
#[derive(Debug)]
pub(crate) struct PlaceholderWriter<'t> {
    text: &'t [u8],
    scalars: Scalars<'t>,
    edits: Vec<Edit>,
    /// End of the processed part of the text.
    done: usize,
    /// End of the YAML scalar that is being quoted.
    quoted_until: Option<usize>,
}

impl<'t> PlaceholderWriter<'t> {
    /// Creates a writer without edits.
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Self { text, scalars: Scalars::new(text), edits: Vec::new(), done: 0, quoted_until: None }
    }

    /// Replaces a span with a placeholder.
    pub(crate) fn replace(&mut self, span: Span, placeholder: String) {
        self.advance_to(span.start);
        if span.wrap == Wrap::AsNeeded
            && self.quoted_until.is_none()
            && let Some((start, end)) = self.scalars.quoted(span)
            && start >= self.done
        {
            self.insert(start);
            self.done = start;
            self.quoted_until = Some(end);
            self.advance_to(span.start);
        }
        self.quoted_until = self.quoted_until.map(|end| end.max(span.end));
        let text = match span.wrap {
            Wrap::AsNeeded | Wrap::Never => placeholder,
            Wrap::Quotes(mark) => format!("{}{placeholder}{}", char::from(mark), char::from(mark)),
        };
        self.edits.push(Edit { start: span.start, end: span.end, text });
        self.done = span.end;
    }

    /// Returns all edits.
    pub(crate) fn finish(mut self) -> Vec<Edit> {
        self.advance_to(self.text.len());
        self.edits
    }

    /// Advances to an offset. Inside a scalar that is being quoted, single quotes are doubled.
    fn advance_to(&mut self, to: usize) {
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
