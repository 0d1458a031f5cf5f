//! Kubernetes Secrets, found by their structure: keys stay, values go.
//!
//! `flow` reads JSON and YAML's flow style; `block` reads YAML by its indentation, and `dump`
//! what Go prints. They walk over all of the text, but only if it mentions a Secret at all, and take what they can from
//! text that is cut off or has prose around it.
//! ConfigMaps and everything else are left alone.

mod block;
mod dump;
mod flow;
mod object;

use crate::bytes::position;
use crate::embedded::Embedded;
use crate::span::Span;

/// Finds the values of all Secrets in a text. What is in texts inside of it is not looked for.
pub(crate) fn find(text: &[u8], embedded: &[Embedded], spans: &mut Vec<Span>) {
    if mentions_secret(text) {
        flow::find(text, spans);
        block::find(text, spans);
        dump::find(text, embedded, spans);
    }
}

/// Whether a text says that something is a Secret: with a quotation mark, a blank or a colon before it.
fn mentions_secret(text: &[u8]) -> bool {
    let mut from = 0;
    // Looking for the rarest letter first is what makes this fast.
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
