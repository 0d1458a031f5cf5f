//! Secrets printed by Go's `fmt`: `map[data:map[name:…] kind:Secret]` and
//! `Secret{Data:map[string][]byte{name: […]}}`.

use crate::bytes::Class;
use crate::embedded::Embedded;
use crate::kind::SecretKind;
use crate::quote::ends_field;
use crate::span::{Span, Wrap};

/// Prefixes of the values in a Secret that is printed as a struct. No other object has such fields.
const TYPED: &[&str] =
    &["Data:map[string][]byte{", "Data:map[string][]uint8{", "StringData:map[string]string{"];

/// Prefixes of the values in a Secret that is printed as a map.
const PLAIN: &[&str] = &["data:map[", "stringData:map["];

/// Finds the values of printed Secrets.
pub(super) fn find(text: &[u8], embedded: &[Embedded], spans: &mut Vec<Span>) {
    let Some(first) = next(text, 0, b":map[") else { return };
    let mentions = Mentions::of(text);
    let mut from = first;
    while let Some(sign) = next(text, from, b":map[") {
        let piece = embedded.partition_point(|piece| piece.end <= sign);
        if let Some(piece) = embedded.get(piece).filter(|piece| piece.start <= sign) {
            from = piece.end;
            continue;
        }
        let window = text.get(sign.saturating_sub(16)..sign).unwrap_or_default();
        let start = sign - window.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let rest = text.get(start..).unwrap_or_default();
        let begins = |names: &[&str]| {
            names.iter().find(|name| rest.starts_with(name.as_bytes())).map(|name| name.len())
        };
        from = sign + 1;
        if let Some(length) = begins(TYPED) {
            from = values(text, start + length, b'}', spans);
        } else if let Some(length) = begins(PLAIN).filter(|_| mentions.are_near(start)) {
            from = values(text, start + length, b']', spans);
        }
    }
}

fn next(text: &[u8], from: usize, word: &[u8]) -> Option<usize> {
    text.get(from..)?.windows(word.len()).position(|window| window == word).map(|at| from + at)
}

/// Maximum distance between the data and the kind of an object, in bytes.
const MAX_DISTANCE: usize = 4096;

/// Offsets of `kind:Secret` in a text.
struct Mentions(Vec<usize>);

impl Mentions {
    fn of(text: &[u8]) -> Self {
        let mut offsets = Vec::new();
        while let Some(at) = next(text, offsets.last().map_or(0, |last| last + 1), b"kind:Secret") {
            offsets.push(at);
        }
        Self(offsets)
    }

    /// Returns whether one of them is near `at`.
    fn are_near(&self, at: usize) -> bool {
        let after = self.0.partition_point(|offset| *offset + MAX_DISTANCE < at);
        self.0.get(after).is_some_and(|offset| *offset < at + MAX_DISTANCE)
    }
}

/// Adds the values of a map, and returns its end.
fn values(text: &[u8], from: usize, closing: u8, spans: &mut Vec<Span>) -> usize {
    let mut at = from;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b',')).count();
        let name =
            at + blanks + usize::from(rest.get(blanks) == Some(&b'"') && !ends_field(text, at + blanks + 1));
        let colon = Class::Name.end_within(text, name, 256);
        let colon = colon + usize::from(text.get(colon) == Some(&b'"'));
        if text.get(colon) != Some(&b':') {
            return name;
        }
        let start = colon + 1 + usize::from(text.get(colon + 1) == Some(&b' '));
        let end = value_end(text, start, closing);
        let is_quoted = end > start + 1 && text.get(start) == Some(&b'"') && text.get(end - 1) == Some(&b'"');
        let (start, stop) = if is_quoted { (start + 1, end - 1) } else { (start, end) };
        if start < stop && !text.get(start..stop).unwrap_or_default().starts_with(b"[MASKED:") {
            spans.push(Span { start, end: stop, kind: SecretKind::KubernetesSecret, wrap: Wrap::Never });
        }
        at = end;
    }
    at
}

/// Returns the end of a value: at the next name, or at the bracket that closes the map.
fn value_end(text: &[u8], start: usize, closing: u8) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let is_quoted = rest.first() == Some(&b'"');
    let mut depth = 0_usize;
    for (index, byte) in rest.iter().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth > 0 => depth -= 1,
            b'\n' => return start + index,
            b'"' if !is_quoted && ends_field(text, start + index + 1) => return start + index,
            byte if *byte == closing && depth == 0 => return start + index,
            b' ' | b',' if depth == 0 && begins_entry(text, start + index + 1) => return start + index,
            _ => {}
        }
    }
    start + rest.len()
}

fn begins_entry(text: &[u8], at: usize) -> bool {
    let at = at + usize::from(matches!(text.get(at), Some(b' ')));
    let at = at + usize::from(matches!(text.get(at), Some(b'"')));
    let end = Class::Name.end_within(text, at, 256);
    end > at && matches!(text.get(end), Some(b':' | b'"')) || text.get(at) == Some(&b'}')
}
