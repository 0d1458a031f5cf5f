//! A piece of a text that must go, and what happens where several families want the same piece.

use crate::kind::Kind;

/// A piece of a text that is to be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: Kind,
    pub(crate) wrap: Wrap,
}

/// What the placeholder needs around it so that the text stays what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// Nothing, unless it turns out to be at the start of a plain YAML scalar.
    AsNeeded,
    /// Nothing: it has quotation marks already.
    Never,
    /// These quotation marks: it takes the place of a whole value.
    Quotes(u8),
}

impl Span {
    /// A piece that stands where it may stand bare.
    pub(crate) const fn new(start: usize, end: usize, kind: Kind) -> Self {
        Self { start, end, kind, wrap: Wrap::AsNeeded }
    }
}

/// Makes one of those that overlap. What any family wants to go goes, unless it is inside of a placeholder.
///
/// The kind that says most names it, of those that saw the whole piece; if none did, the one that saw most.
pub(crate) fn settle(text: &[u8], mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| span.start < span.end && !is_masked(text, *span));
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut settled: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match settled.last_mut() {
            Some(last) if span.start < last.end => join(last, span),
            Some(_) | None => settled.push(span),
        }
    }
    settled
}

/// The longest placeholder is shorter.
const PLACEHOLDER: usize = 64;

/// Whether a span is a piece of a placeholder, or all of it.
fn is_masked(text: &[u8], span: Span) -> bool {
    let from = span.start.saturating_sub(PLACEHOLDER);
    let before = text.get(from..text.len().min(span.start + BEGIN.len())).unwrap_or_default();
    let open = before.windows(BEGIN.len()).rposition(|window| window == BEGIN);
    let inner = open.and_then(|open| text.get(from + open..span.end)).unwrap_or_default();
    let is_open = |byte: &u8| *byte != b']' && !byte.is_ascii_whitespace();
    inner.split_last().is_some_and(|(_, inner)| inner.len() < PLACEHOLDER && inner.iter().all(is_open))
}

/// How a placeholder begins.
const BEGIN: &[u8] = b"[MASKED:";

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
    fn overlaps_become_one_and_the_better_name_wins() {
        let spans = vec![
            Span::new(10, 20, Kind::Token),
            Span::new(10, 20, Kind::GithubToken),
            Span::new(15, 25, Kind::Email),
            Span::new(25, 30, Kind::Password),
            Span::new(3, 3, Kind::Password),
        ];
        let settled = [Span::new(10, 25, Kind::GithubToken), Span::new(25, 30, Kind::Password)];
        assert_eq!(settle(b"", spans), settled);
    }

    #[test]
    fn placeholders_are_left_alone() {
        let text = b"a [MASKED:password#1] b";
        let kept = |start, end| settle(text, vec![Span::new(start, end, Kind::Password)]).len();
        assert_eq!((kept(2, 21), kept(3, 20), kept(10, 18)), (0, 0, 0));
        assert_eq!((kept(0, 21), kept(2, 23), kept(22, 23)), (1, 1, 1));
    }
}
