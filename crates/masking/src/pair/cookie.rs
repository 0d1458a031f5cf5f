//! Cookies: `Cookie: a=…; b=…` and `Set-Cookie: a=…; Path=/`. Names and attributes are kept.

use super::separator::ValuePosition;
use super::{random, value};
use crate::bytes::{Class, contains_ignoring_case, skip_blanks};
use crate::kind::SecretKind;
use crate::span::Span;

const ATTRIBUTES: &[&str] = &[
    "path", "domain", "expires", "max-age", "samesite", "version", "comment", "priority", "lang", "locale",
    "theme",
];

/// Parts of names of cookies that are always secret.
const SESSIONS: &[&str] = &["sess", "token", "auth", "sid", "csrf", "xsrf", "jwt", "remember", "login"];

/// Maximum number of cookies in one header.
const MAX_COOKIES: usize = 64;

/// Returns the secret values of the cookies in a header.
pub(super) fn find(text: &[u8], position: &ValuePosition) -> Option<Vec<Span>> {
    let mut at = position.at;
    while matches!(text.get(at), Some(b'"' | b'\'' | b'[')) {
        at += 1;
    }
    let mut spans = Vec::new();
    for _ in 0..MAX_COOKIES {
        let name_end = Class::Name.end_within(text, at, 96);
        if name_end == at {
            break;
        }
        let mut end = name_end;
        if text.get(name_end) == Some(&b'=') {
            end = Class::Path.end_within(text, name_end + 1, 8192);
            let stop = text.get(name_end + 1..end)?.iter().position(|byte| *byte == b';');
            end = stop.map_or(end, |stop| name_end + 1 + stop);
            if is_secret(text.get(at..name_end)?, text.get(name_end + 1..end)?) {
                spans.push(Span::new(name_end + 1, end, SecretKind::Token));
            }
        }
        if text.get(end) != Some(&b';') {
            break;
        }
        at = skip_blanks(text, end + 1);
    }
    (!spans.is_empty()).then_some(spans)
}

fn is_secret(name: &[u8], bytes: &[u8]) -> bool {
    let is_attribute = ATTRIBUTES.iter().any(|word| name.eq_ignore_ascii_case(word.as_bytes()));
    let is_session = SESSIONS.iter().any(|word| contains_ignoring_case(name, word));
    let head = bytes.get(..bytes.len().min(512)).unwrap_or_default();
    !is_attribute
        && value::is_secret(head)
        && (is_session && head.len() >= 6 || random::looks_random(head) && head.len() >= 16)
}
