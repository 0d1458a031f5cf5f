//! Collections of secrets: `"tokens": ["…", "…"]`, `passwords: {bob: …}`, and lists in YAML.

use super::separator::Place;
use super::{random, value};
use crate::bytes::line_end;
use crate::kind::Kind;
use crate::quote::Quote;
use crate::span::{Span, Wrap};

/// Larger collections are not looked at any further.
const REACH: usize = 8192;

/// Collections inside of collections are followed so far.
const DEPTH: usize = 2;

/// The secrets in the collection at a place.
pub(super) fn find(text: &[u8], place: &Place, kind: Kind) -> Option<Vec<Span>> {
    let spans = match text.get(place.at)? {
        b'[' | b'{' => flow(text, place.at, kind),
        b'\n' | b'\r' => list(text, place, kind),
        _ => return None,
    };
    (!spans.is_empty()).then_some(spans)
}

/// What is in brackets, up to the one that closes the first. Names of fields look like no secret.
fn flow(text: &[u8], from: usize, kind: Kind) -> Vec<Span> {
    let limit = text.len().min(from + REACH);
    let (mut at, mut depth) = (from, 0_usize);
    let mut spans = Vec::new();
    while at < limit {
        let (start, end, wrap) = match text.get(at) {
            Some(b'[' | b'{') if depth > DEPTH => break,
            Some(b'[' | b'{') => {
                depth += 1;
                (at, at, Wrap::Never)
            }
            Some(b']' | b'}') if depth <= 1 => break,
            Some(b']' | b'}') => {
                depth -= 1;
                (at, at, Wrap::Never)
            }
            Some(b'"' | b'\'') => {
                let Some((quote, from)) = Quote::at(text, at) else { break };
                let closing = quote.close(text, from);
                (from, closing.end, Wrap::Never)
            }
            Some(byte) if byte.is_ascii_alphanumeric() => {
                let rest = text.get(at..limit).unwrap_or_default();
                let ends = |byte: &u8| {
                    byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}' | b':' | b'"' | b'\'')
                };
                (at, at + rest.iter().position(ends).unwrap_or(rest.len()), Wrap::AsNeeded)
            }
            Some(_) | None => (at, at, Wrap::Never),
        };
        push(text, Span { start, end, kind, wrap }, &mut spans);
        at = end + 1;
    }
    spans
}

/// The items of a list in block style.
fn list(text: &[u8], place: &Place, kind: Kind) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut line = line_end(text, place.at);
    while line < text.len().min(place.at + REACH) {
        let end = line_end(text, line + 1);
        let content = text.get(line + 1..end).unwrap_or_default();
        let Some(item) = content.trim_ascii_start().strip_prefix(b"- ") else { break };
        let item = item.trim_ascii_start();
        let start = line + 1 + content.len() - item.len();
        let (start, end_of_item, wrap) = match Quote::at(text, start) {
            Some((quote, from)) => (from, quote.close(text, from).end, Wrap::Never),
            None => (start, start + item.trim_ascii_end().len(), Wrap::AsNeeded),
        };
        push(text, Span { start, end: end_of_item, kind, wrap }, &mut spans);
        line = end;
    }
    spans
}

fn push(text: &[u8], span: Span, spans: &mut Vec<Span>) {
    let value = text.get(span.start..span.end).unwrap_or_default();
    let head = value.get(..value.len().min(512)).unwrap_or_default();
    let is_password = span.kind == Kind::Password && random::is_mixed(head);
    if (is_password || random::looks_random(head)) && value::is_secret(head) {
        spans.push(span);
    }
}
