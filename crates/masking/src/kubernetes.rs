//! Kubernetes Secrets, found by their structure: keys are kept, values are masked.
//!
//! `flow` parses JSON and YAML's flow style, `block` YAML by its indentation, and `dump` the output of Go's
//! `fmt`. They read the whole text, but only if it mentions a Secret, and tolerate truncated text and prose
//! around it. ConfigMaps and other objects are not masked.

mod block;
mod dump;
mod flow;
mod object;

use crate::bytes::position;
use crate::embedded::Embedded;
use crate::span::Span;

/// Finds the values of all Secrets in a text, except in embedded strings.
pub(crate) fn find(text: &[u8], embedded: &[Embedded], spans: &mut Vec<Span>) {
    if mentions_secret(text) {
        flow::find(text, spans);
        block::find(text, spans);
        dump::find(text, embedded, spans);
    }
}

/// Returns whether a text contains `Secret` after a quotation mark, a blank, a colon or a similar character.
fn mentions_secret(text: &[u8]) -> bool {
    let mut from = 0;
    // Searching for the rarest letter first makes this fast.
    while let Some(at) = position(text, from, b'S') {
        let is_named = text.get(at..).is_some_and(|rest| rest.starts_with(b"Secret"));
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        if is_named && matches!(before, Some(b'"' | b'\'' | b' ' | b':' | b'\t' | b'&' | b'.')) {
            return true;
        }
        from = at + 1;
    }
    false
}
