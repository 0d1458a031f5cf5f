//! Spans of a text that contain secrets, and how overlapping ones are merged.

use crate::kind::SecretKind;

/// A range of a text to replace with a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: SecretKind,
    pub(crate) wrap: Wrap,
}

/// The quotation marks that a placeholder needs to keep the syntax valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// None, unless it is at the start of a plain YAML scalar.
    AsNeeded,
    /// None: the value is already quoted.
    Never,
    /// These quotation marks: the placeholder replaces a whole value.
    Quotes(u8),
}

impl Span {
    /// Creates a span whose placeholder is quoted only as needed.
    pub(crate) const fn new(start: usize, end: usize, kind: SecretKind) -> Self {
        Self { start, end, kind, wrap: Wrap::AsNeeded }
    }
}

/// Merges overlapping spans into their union, and drops spans inside of placeholders.
///
/// The result has the kind with the highest rank among spans of the same range, otherwise the kind of the
/// first and longest span.
pub(crate) fn merge(text: &[u8], mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| span.start < span.end && !is_masked(text, *span));
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => join(last, span),
            Some(_) | None => merged.push(span),
        }
    }
    merged
}

/// Upper bound for the length of a placeholder.
const MAX_PLACEHOLDER: usize = 64;

/// Returns whether a span is a placeholder or a part of one.
fn is_masked(text: &[u8], span: Span) -> bool {
    let from = span.start.saturating_sub(MAX_PLACEHOLDER);
    let before = text.get(from..text.len().min(span.start + PREFIX.len())).unwrap_or_default();
    let open = before.windows(PREFIX.len()).rposition(|window| window == PREFIX);
    let inner = open.and_then(|open| text.get(from + open..span.end)).unwrap_or_default();
    let is_open = |byte: &u8| *byte != b']' && !byte.is_ascii_whitespace();
    inner.split_last().is_some_and(|(_, inner)| inner.len() < MAX_PLACEHOLDER && inner.iter().all(is_open))
}

/// Prefix of a placeholder.
const PREFIX: &[u8] = b"[MASKED:";

fn join(last: &mut Span, span: Span) {
    let covers = span.start == last.start && span.end == last.end;
    if covers && span.kind.rank() > last.kind.rank() {
        last.kind = span.kind;
    }
    if covers && last.wrap == Wrap::AsNeeded {
        last.wrap = span.wrap;
    }
    last.end = last.end.max(span.end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_overlaps_with_the_more_specific_kind() {
        let spans = vec![
            Span::new(10, 20, SecretKind::Token),
            Span::new(10, 20, SecretKind::GithubToken),
            Span::new(15, 25, SecretKind::Email),
            Span::new(25, 30, SecretKind::Password),
            Span::new(3, 3, SecretKind::Password),
        ];
        let merged = [Span::new(10, 25, SecretKind::GithubToken), Span::new(25, 30, SecretKind::Password)];
        assert_eq!(merge(b"", spans), merged);
    }

    #[test]
    fn drops_spans_inside_placeholders() {
        let text = b"a [MASKED:password#1] b";
        let kept = |start, end| merge(text, vec![Span::new(start, end, SecretKind::Password)]).len();
        assert_eq!((kept(2, 21), kept(3, 20), kept(10, 18)), (0, 0, 0));
        assert_eq!((kept(0, 21), kept(2, 23), kept(22, 23)), (1, 1, 1));
    }
}
