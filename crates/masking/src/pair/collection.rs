//! Collections of secrets: `"tokens": ["…", "…"]`, `passwords: {bob: …}`, and lists in YAML.

use super::separator::ValuePosition;
use super::{random, value};
use crate::bytes::line_end;
use crate::kind::SecretKind;
use crate::quote::Quote;
use crate::span::{Span, Wrap};

/// Maximum size of a collection that is inspected, in bytes.
const MAX_BYTES: usize = 8192;

/// Maximum nesting of collections.
const MAX_DEPTH: usize = 2;

/// Returns the secrets in the collection at a position.
pub(super) fn find(text: &[u8], position: &ValuePosition, kind: SecretKind) -> Option<Vec<Span>> {
    let spans = match text.get(position.at)? {
        b'[' | b'{' => flow(text, position.at, kind),
        b'\n' | b'\r' => list(text, position, kind),
        _ => return None,
    };
    (!spans.is_empty()).then_some(spans)
}

/// Returns the secrets in brackets, up to the closing one. Field names do not look like secrets.
fn flow(text: &[u8], from: usize, kind: SecretKind) -> Vec<Span> {
    let limit = text.len().min(from + MAX_BYTES);
    let (mut at, mut depth) = (from, 0_usize);
    let mut spans = Vec::new();
    while at < limit {
        let (start, end, wrap) = match text.get(at) {
            Some(b'[' | b'{') if depth > MAX_DEPTH => break,
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

/// Returns the secrets among the items of a list in block style.
fn list(text: &[u8], position: &ValuePosition, kind: SecretKind) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut line = line_end(text, position.at);
    while line < text.len().min(position.at + MAX_BYTES) {
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
    let is_password = span.kind == SecretKind::Password && random::is_mixed(head);
    if (is_password || random::looks_random(head)) && value::is_secret(head) {
        spans.push(span);
    }
}
