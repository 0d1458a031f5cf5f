//! A name that gives a secret away, and the value behind it: `password: x`, `"token":"x"`, `--api-key x`, `?sig=x`.
//!
//! `name` finds the whole name around a word and `key` judges it, `separator` says how the value follows, `extent`
//! where it ends, and `value` whether it can be a secret at all. The name always stays.

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
use key::{Key, Sign};
use separator::{Place, Style};

use crate::bytes::Class;
use crate::kind::Kind;
use crate::pem;
use crate::span::{Span, Wrap};

/// Words that names of settings with secrets have in them.
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

/// So much of a value is looked at to see whether it is a secret.
const HEAD: usize = 128;

/// What must go behind the name that a word is part of.
pub(crate) fn find(text: &[u8], start: usize, end: usize) -> Option<Vec<Span>> {
    let (start, end) = name::around(text, start, end);
    let name = text.get(start..end)?;
    let key = Key::of(name)?;
    let place = separator::find(text, start, end)?;
    // Only a secret is followed to its end; doing that behind every name would not be linear.
    let head = text.get(..text.len().min(place.at.saturating_add(HEAD)))?;
    let found = secrets(head, name, key, &place)?;
    if is_whole(head, key, &found) { Some(found) } else { secrets(text, name, key, &place) }
}

/// Whether what was found cannot go on behind what was looked at: one value, on one line, that ends before.
fn is_whole(head: &[u8], key: Key, found: &[Span]) -> bool {
    let ends = |span: &Span| match span.wrap {
        Wrap::AsNeeded => span.end + 1 < head.len(),
        Wrap::Never => head.get(span.end).is_some_and(|byte| *byte != b'\n'),
        Wrap::Quotes(_) => false,
    };
    !matches!(key.sign, Sign::Cookie | Sign::Many) && found.iter().all(ends)
}

/// The secrets at a place.
fn secrets(text: &[u8], name: &[u8], key: Key, place: &Place) -> Option<Vec<Span>> {
    match key.sign {
        Sign::Cookie => return cookie::find(text, place),
        Sign::Many => return collection::find(text, place, key.kind),
        Sign::Authorization => {
            return scheme::authorization(text, &extent::read(text, place)?).map(|span| vec![span]);
        }
        Sign::Sure | Sign::Likely | Sign::Signature | Sign::Encoded | Sign::Login => {}
    }
    let mut value = extent::read(text, place)?;
    if matches!(key.sign, Sign::Sure | Sign::Likely) && key.kind != Kind::Password {
        value = value.first_word(text);
    }
    let bytes = text.get(value.start..value.end)?;
    // The working directory of a shell has the name of a password.
    let is_directory = name.to_ascii_lowercase().ends_with(b"pwd") && bytes.starts_with(b"/");
    if is_directory || is_itself(name, bytes, text.get(value.end)) {
        return None;
    }
    let kind = accept(key, place, &value, bytes)?;
    Some(vec![Span { start: value.start, end: value.end, kind, wrap: value.wrap }])
}

/// `self.password = password`, `connect(token=token)`: a program hands a value on.
fn is_itself(name: &[u8], value: &[u8], next: Option<&u8>) -> bool {
    let is_member = name.starts_with(b"this.") || name.starts_with(b"self.");
    let end = value.strip_suffix(b";").or_else(|| value.strip_suffix(b","));
    let is_handed = is_member || end.is_some() || matches!(next, Some(b')' | b',' | b';'));
    let value = end.unwrap_or(value);
    let last = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    is_handed && (value == last || value.rsplit(|byte| *byte == b'.').next() == Some(last))
}

/// The kind of a value behind a key, if it is a secret.
fn accept(key: Key, place: &Place, value: &Value, bytes: &[u8]) -> Option<Kind> {
    // What is very long is never a mere word.
    let head = bytes.get(..bytes.len().min(HEAD))?;
    let is_base64 = || head.iter().all(|byte| byte.is_ascii_whitespace() || Class::Base64.has(*byte));
    if !value::is_secret(head) {
        return None;
    }
    match key.sign {
        Sign::Sure => is_sure(key, place, value, head).then_some(key.kind),
        Sign::Likely => is_likely(key, place, head).then_some(key.kind),
        Sign::Signature => (head.len() >= 16 && random::looks_random(head)).then_some(key.kind),
        Sign::Encoded if head.len() >= 16 && is_base64() => Some(key.kind),
        Sign::Encoded if key.kind == Kind::Base64Secret && head.len() >= 4 && is_base64() => {
            Some(Kind::Base64Short)
        }
        Sign::Login => {
            let is_login =
                pem::decode(head).contains(&b':') || head.len() >= 20 && random::looks_random(head);
            (is_base64() && head.len() >= 8 && is_login).then_some(key.kind)
        }
        Sign::Encoded | Sign::Cookie | Sign::Authorization | Sign::Many => None,
    }
}

/// Brackets are in types and expressions of programs, and in no token.
fn has_brackets(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| matches!(byte, b'(' | b')' | b'[' | b']' | b'<' | b'>' | b'{' | b'}' | b'"'))
}

fn is_likely(key: Key, place: &Place, bytes: &[u8]) -> bool {
    let is_set = matches!(place.style, Style::Assigned | Style::Parameter | Style::Flag);
    let is_own = key.kind == Kind::Password || is_set && !random::is_object_name(bytes);
    place.style != Style::Beside && (random::looks_random(bytes) || (is_own && random::is_mixed(bytes)))
}

/// What nothing but a blank separates from its name must look like nothing else.
fn is_token(bytes: &[u8]) -> bool {
    bytes.len() >= 16
        && random::looks_random(bytes)
        && bytes.iter().any(u8::is_ascii_digit)
        && bytes.iter().all(|byte| Class::Bearer.has(*byte))
}

fn is_sure(key: Key, place: &Place, value: &Value, bytes: &[u8]) -> bool {
    let is_password = key.kind == Kind::Password;
    let is_number = bytes.iter().all(u8::is_ascii_digit);
    if (is_number && bytes.len() < if is_password { 4 } else { 8 })
        || (!is_password && (random::is_name(bytes) || (!value.is_quoted && has_brackets(bytes))))
    {
        return false;
    }
    match place.style {
        Style::Line | Style::Assigned | Style::Flag | Style::Element | Style::Listed | Style::Parameter => {
            true
        }
        Style::Colon => place.is_roomy || is_password || value.is_quoted || random::looks_random(bytes),
        Style::Prose | Style::Column | Style::Below | Style::Call => {
            random::looks_random(bytes) || is_password && random::is_mixed(bytes)
        }
        Style::Quoted => value.is_quoted && (is_password || random::looks_random(bytes)),
        Style::Beside => is_token(bytes) || is_password && random::is_strong(bytes),
    }
}
