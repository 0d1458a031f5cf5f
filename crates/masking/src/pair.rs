//! Names with secret values: `password: x`, `"token":"x"`, `--api-key x`, `?sig=x`.
//!
//! `name` finds the whole name around a word and `key` classifies it, `separator` finds the value, `extent`
//! its end, and `value` decides whether it can be a secret. The name is always kept.

mod collection;
mod command;
mod cookie;
mod extent;
mod key;
mod listed;
mod markup;
mod name;
pub(crate) mod random;
mod scheme;
mod separator;
pub(crate) mod value;
mod word_list;

pub(crate) use command::{COMMANDS, argument};
pub(crate) use scheme::{SCHEMES, credential};

use extent::Value;
use key::{KeyHint, ValueRule};
use separator::{PairStyle, ValuePosition};

use crate::bytes::Class;
use crate::kind::SecretKind;
use crate::pem;
use crate::span::{Span, Wrap};

/// Words in the names of settings with secrets.
pub(crate) const WORDS: &[&str] = &[
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "auth",
    "credential",
    "cookie",
    "sig=",
    "signature",
    "sessionid",
    "sessid",
    "connect.sid",
    "jwt",
    "bearer",
    "_pat",
    "pw",
    "psk",
    "certificate",
    "cabundle",
    "ca-bundle",
    "ca_bundle",
    "ca.crt",
    "tls.crt",
    "dockerconfigjson",
    "dockercfg",
    "kubeconfig",
    "securestring",
    "honeycomb-team",
];

/// Number of bytes of a value that are inspected to decide whether it is a secret.
const HEAD: usize = 128;

/// Returns the secrets of the name that contains a word.
pub(crate) fn find(text: &[u8], start: usize, end: usize) -> Option<Vec<Span>> {
    let (start, end) = name::around(text, start, end);
    let name = text.get(start..end)?;
    let key = KeyHint::of(name)?;
    let position = separator::find(text, start, end)?;
    // Only a secret is read to its end; doing that for every name would not be linear.
    let head = text.get(..text.len().min(position.at.saturating_add(HEAD)))?;
    let found = secrets(head, name, key, &position)?;
    if is_whole(head, key, &found) { Some(found) } else { secrets(text, name, key, &position) }
}

/// Returns whether all spans end within the inspected head.
fn is_whole(head: &[u8], key: KeyHint, found: &[Span]) -> bool {
    let ends = |span: &Span| match span.wrap {
        Wrap::AsNeeded => span.end + 1 < head.len(),
        Wrap::Never => head.get(span.end).is_some_and(|byte| *byte != b'\n'),
        Wrap::Quotes(_) => false,
    };
    !matches!(key.rule, ValueRule::Cookie | ValueRule::Collection) && found.iter().all(ends)
}

/// Returns the secrets at a position.
fn secrets(text: &[u8], name: &[u8], key: KeyHint, position: &ValuePosition) -> Option<Vec<Span>> {
    match key.rule {
        ValueRule::Cookie => return cookie::find(text, position),
        ValueRule::Collection => return collection::find(text, position, key.kind),
        ValueRule::Authorization => {
            return scheme::authorization(text, &extent::read(text, position)?).map(|span| vec![span]);
        }
        ValueRule::Sure
        | ValueRule::Likely
        | ValueRule::Signature
        | ValueRule::Encoded
        | ValueRule::Login => {}
    }
    let mut value = extent::read(text, position)?;
    if matches!(key.rule, ValueRule::Sure | ValueRule::Likely) && key.kind != SecretKind::Password {
        value = value.first_word(text);
    }
    let bytes = text.get(value.start..value.end)?;
    // `PWD` is the working directory of a shell, and also a name for a password.
    let is_directory = name.to_ascii_lowercase().ends_with(b"pwd") && bytes.starts_with(b"/");
    if is_directory || is_same_name(name, bytes, text.get(value.end)) {
        return None;
    }
    let kind = accept(key, position, &value, bytes)?;
    Some(vec![Span { start: value.start, end: value.end, kind, wrap: value.wrap }])
}

/// Returns whether code passes a variable with the same name: `self.password = password`,
/// `connect(token=token)`.
fn is_same_name(name: &[u8], value: &[u8], next: Option<&u8>) -> bool {
    let is_member = name.starts_with(b"this.") || name.starts_with(b"self.");
    let end = value.strip_suffix(b";").or_else(|| value.strip_suffix(b","));
    let is_passed = is_member || end.is_some() || matches!(next, Some(b')' | b',' | b';'));
    let value = end.unwrap_or(value);
    let last = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    is_passed && (value == last || value.rsplit(|byte| *byte == b'.').next() == Some(last))
}

/// Returns the kind of a value, if it is a secret.
fn accept(key: KeyHint, position: &ValuePosition, value: &Value, bytes: &[u8]) -> Option<SecretKind> {
    // A very long value is never a plain word.
    let head = bytes.get(..bytes.len().min(HEAD))?;
    let is_base64 = || head.iter().all(|byte| byte.is_ascii_whitespace() || Class::Base64.has(*byte));
    if !value::is_secret(head) {
        return None;
    }
    match key.rule {
        ValueRule::Sure => is_sure(key, position, value, head).then_some(key.kind),
        ValueRule::Likely => is_likely(key, position, head).then_some(key.kind),
        ValueRule::Signature => (head.len() >= 16 && random::looks_random(head)).then_some(key.kind),
        ValueRule::Encoded if head.len() >= 16 && is_base64() => Some(key.kind),
        ValueRule::Encoded if key.kind == SecretKind::Base64Secret && head.len() >= 4 && is_base64() => {
            Some(SecretKind::Base64Short)
        }
        ValueRule::Login => {
            let is_login =
                pem::decode(head).contains(&b':') || head.len() >= 20 && random::looks_random(head);
            (is_base64() && head.len() >= 8 && is_login).then_some(key.kind)
        }
        ValueRule::Encoded | ValueRule::Cookie | ValueRule::Authorization | ValueRule::Collection => None,
    }
}

/// Returns whether a value contains brackets, which occur in types and expressions but not in tokens.
fn has_brackets(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| matches!(byte, b'(' | b')' | b'[' | b']' | b'<' | b'>' | b'{' | b'}' | b'"'))
}

fn is_likely(key: KeyHint, position: &ValuePosition, bytes: &[u8]) -> bool {
    let is_set = matches!(position.style, PairStyle::Assigned | PairStyle::Parameter | PairStyle::Flag);
    let accepts_mixed = key.kind == SecretKind::Password || is_set && !random::is_object_name(bytes);
    position.style != PairStyle::Adjacent
        && (random::looks_random(bytes) || (accepts_mixed && random::is_mixed(bytes)))
}

/// Returns whether a value that only a blank separates from its name is unmistakably a token.
fn is_token(bytes: &[u8]) -> bool {
    bytes.len() >= 16
        && random::looks_random(bytes)
        && bytes.iter().any(u8::is_ascii_digit)
        && bytes.iter().all(|byte| Class::Bearer.has(*byte))
}

fn is_sure(key: KeyHint, position: &ValuePosition, value: &Value, bytes: &[u8]) -> bool {
    let is_password = key.kind == SecretKind::Password;
    let is_number = bytes.iter().all(u8::is_ascii_digit);
    if (is_number && bytes.len() < if is_password { 4 } else { 8 })
        || (!is_password && (random::is_name(bytes) || (!value.is_quoted && has_brackets(bytes))))
    {
        return false;
    }
    match position.style {
        PairStyle::Line
        | PairStyle::Assigned
        | PairStyle::Flag
        | PairStyle::Element
        | PairStyle::Listed
        | PairStyle::Parameter => true,
        PairStyle::Colon => {
            position.is_spaced || is_password || value.is_quoted || random::looks_random(bytes)
        }
        PairStyle::Prose | PairStyle::Column | PairStyle::Below | PairStyle::Call => {
            random::looks_random(bytes) || is_password && random::is_mixed(bytes)
        }
        PairStyle::Quoted => value.is_quoted && (is_password || random::looks_random(bytes)),
        PairStyle::Adjacent => is_token(bytes) || is_password && random::is_strong(bytes),
    }
}
