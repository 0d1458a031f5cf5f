//! Credentials after an authentication scheme: `Authorization: Bearer …`, `Basic …`, and schemes of vendors.

use super::extent::Value;
use super::{random, value};
use crate::bytes::{Class, begins_word, skip_blanks};
use crate::kind::SecretKind;
use crate::pem;
use crate::quote::Quote;
use crate::span::Span;

/// Schemes that are recognized anywhere.
pub(crate) const SCHEMES: &[&str] = &["bearer ", "basic ", "bearer%20"];

/// Returns the credential after a scheme.
pub(crate) fn credential(text: &[u8], start: usize, end: usize) -> Option<Span> {
    if !begins_word(text, start) {
        return None;
    }
    let from = skip_blanks(text, end);
    let from = Quote::at(text, from).map_or(from, |(_, after)| after);
    let to = Class::Bearer.end_within(text, from, usize::MAX);
    let bytes = text.get(from..to)?;
    let head = bytes.get(..bytes.len().min(256))?;
    if text.get(start).is_some_and(|byte| matches!(byte, b'b' | b'B'))
        && text.get(start + 1).is_some_and(|byte| byte | 32 == b'a')
    {
        let login = pem::decode(head);
        let user = login.iter().position(|byte| *byte == b':').and_then(|colon| login.get(..colon));
        let is_login = head.len() >= 8 && user.is_some_and(|user| user.iter().all(|byte| *byte >= b' '));
        return is_login.then_some(Span::new(from, to, SecretKind::Password));
    }
    let is_token = random::looks_random(head) || (head.len() >= 24 && random::is_mixed(head));
    is_token.then_some(Span::new(from, to, SecretKind::Token))
}

/// Returns the credential in the value of an `Authorization` header.
pub(super) fn authorization(text: &[u8], value: &Value) -> Option<Span> {
    // An unquoted value ends with its scheme.
    let is_scheme =
        text.get(value.start..value.end)?.iter().all(|byte| Class::Dashed.has(*byte) || *byte == b'\\');
    let to = if is_scheme && text.get(value.end) == Some(&b' ') {
        Class::Bearer.end_within(text, value.end + 1, usize::MAX)
    } else {
        value.end
    };
    let bytes = text.get(value.start..to)?;
    let head = bytes.get(..bytes.len().min(512))?;
    let blank = head.iter().take(24).position(|byte| *byte == b' ');
    let (scheme, start) = match blank {
        Some(blank) => (head.get(..blank)?, value.start + blank + 1),
        None => (&b""[..], value.start),
    };
    let known = ["bearer", "basic", "aws4-hmac-sha256", "digest", "negotiate"];
    if known.iter().any(|known| scheme.eq_ignore_ascii_case(known.as_bytes())) {
        return None;
    }
    let credential = text.get(start..to)?;
    let end = start + credential.iter().position(|byte| *byte == b' ').unwrap_or(credential.len());
    let head = text.get(start..end.min(start + 512))?;
    let is_token = random::looks_random(head) || !scheme.is_empty() && random::is_uuid(head);
    (value::is_secret(head) && is_token).then_some(Span::new(start, end, SecretKind::Token))
}
