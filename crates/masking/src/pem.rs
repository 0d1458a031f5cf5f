//! Armoured keys and certificates: PEM, OpenSSH, PGP and PuTTY.
//!
//! Public keys are left alone. A block that lost its end is taken as far as it looks like one.

use crate::bytes::{Class, Runs, begins_word, line_end, line_start};
use crate::kind::Kind;
use crate::span::Span;

/// How armour begins.
pub(crate) const ARMOUR: &[&str] = &["-----BEGIN ", "---- BEGIN ", "PuTTY-User-Key-File-"];

/// How Base64 of armour begins: of `-----BEGIN ` and of `---- BEGIN `.
pub(crate) const ENCODED: &[&str] = &["LS0tLS1CRUdJTi", "LS0tLSBCRUdJTi"];

/// The longest label is shorter.
const LABEL: usize = 64;

/// What stands before each line of a block is not wider.
const MARGIN: usize = 128;

/// The block that begins here.
pub(crate) fn find(text: &[u8], at: usize) -> Option<Span> {
    let rest = text.get(at..)?;
    if rest.starts_with(b"PuTTY") {
        return Some(Span::new(at, end_of_putty(text, at), Kind::SshKey));
    }
    let dashes = rest.iter().position(|byte| *byte != b'-')?;
    let label = rest
        .get(dashes..)?
        .strip_prefix(b" BEGIN ")
        .or_else(|| rest.get(dashes..)?.strip_prefix(b"BEGIN "))?;
    let length = label.iter().take(LABEL).position(|byte| *byte == b'-')?;
    let label = label.get(..length)?.trim_ascii();
    let kind = kind(label)?;
    Some(Span::new(at, end_of_block(text, at, label), kind))
}

/// The Base64 of a block that begins here.
pub(crate) fn find_encoded(text: &[u8], at: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let end = runs.end(Class::Base64, at);
    if !begins_word(text, at) || end - at < 40 {
        return None;
    }
    let start: Vec<u8> = decode(text.get(at..end.min(at + 88))?);
    let label =
        start.windows(6).position(|window| window == b"BEGIN ").and_then(|from| start.get(from + 6..))?;
    let label = label.split(|byte| *byte == b'-').next()?;
    Some(Span::new(at, end, kind(label)?))
}

fn kind(label: &[u8]) -> Option<Kind> {
    let has = |word: &[u8]| label.windows(word.len()).any(|window| window == word);
    if has(b"PUBLIC") || has(b"PGP MESSAGE") || has(b"PGP SIGN") {
        None
    } else if has(b"OPENSSH") || has(b"SSH2") {
        Some(Kind::SshKey)
    } else if has(b"KEY") {
        Some(Kind::PrivateKey)
    } else if has(b"CERTIFICATE") || has(b"PKCS7") || has(b"CMS") || has(b"X509") {
        Some(Kind::Certificate)
    } else {
        None
    }
}

/// The place after `-----END … -----`, or where the lines stop to look like a block.
fn end_of_block(text: &[u8], at: usize, label: &[u8]) -> usize {
    let from = at + 11 + label.len();
    let margin = at - line_start(text, at, MARGIN).unwrap_or(at);
    let end = looks_on(text, from, margin);
    let rest = text.get(end..).unwrap_or_default();
    let dashes = rest.iter().position(|byte| *byte != b'-').unwrap_or(0);
    let rest = rest.get(dashes..).unwrap_or_default();
    let rest = rest.strip_prefix(b" ").unwrap_or(rest);
    if dashes < 4 || !rest.starts_with(b"END ") {
        return end;
    }
    end_of_label(text, text.len() - rest.len() + 4)
}

/// The place after the label of a last line and the dashes behind it.
fn end_of_label(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..text.len().min(from + LABEL)).unwrap_or_default();
    let is_label = |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b' ';
    let label = rest.iter().take_while(is_label).count();
    let dashes = rest.iter().skip(label).take_while(|byte| **byte == b'-').count();
    from + label + dashes
}

/// How far a text looks like the inside of a block: Base64 and headers.
///
/// It ends at four dashes. In a block with real lines, prose ends it: a word that is followed by another.
fn looks_on(text: &[u8], from: usize, margin: usize) -> usize {
    let mut at = from;
    let mut good = from;
    while let Some(byte) = text.get(at).copied() {
        match byte {
            b'-' if at > from + 8 && text.get(at..).is_some_and(|rest| rest.starts_with(b"----")) => {
                return at;
            }
            b'\n' => {
                let Some(next) = line_of_block(text, at + 1, margin) else { return good };
                at = next;
                good = at;
            }
            b'"' | b'\'' | b'<' | b'`' | b'}' | b']' => return at.max(from),
            _ => {
                at += 1;
                if Class::Base64.has(byte) || byte == b'-' {
                    good = at;
                }
            }
        }
    }
    text.len()
}

/// Where a line ends that belongs to a block: a header, Base64, nothing, or its last line.
///
/// All lines of a block may have something before them that is as wide as before its first: a time, a mark.
fn line_of_block(text: &[u8], start: usize, margin: usize) -> Option<usize> {
    let end = line_end(text, start);
    let line = text.get(start..end)?;
    let mut inner = [Some(line), line.get(margin..)].into_iter().flatten().map(<[u8]>::trim_ascii);
    if inner.any(|line| unmarked(line).starts_with(b"----")) {
        return Some(start + line.windows(4).position(|four| four == b"----")?);
    }
    let mut inner = [Some(line), line.get(margin..)].into_iter().flatten().map(<[u8]>::trim_ascii);
    inner.any(|line| is_inner(unmarked(line))).then_some(end)
}

/// A line without the mark of a quotation or of a diff.
fn unmarked(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"> ").or_else(|| line.strip_prefix(b"+")).unwrap_or(line)
}

fn is_inner(line: &[u8]) -> bool {
    let is_header = || {
        let name = line.iter().position(|byte| *byte == b':');
        name.is_some_and(|name| {
            name < 32
                && line.first().is_some_and(u8::is_ascii_uppercase)
                && line.iter().take(name).all(|byte| Class::Dashed.has(*byte))
        })
    };
    line.iter().all(|byte| Class::Base64.has(*byte) || matches!(byte, b'"' | b'\'' | b',')) || is_header()
}

/// PuTTY's file is all headers and Base64.
fn end_of_putty(text: &[u8], at: usize) -> usize {
    let mut end = line_end(text, at);
    if let Some(mark) = text.get(at..end).unwrap_or_default().iter().position(|byte| *byte == b'"') {
        return at + mark;
    }
    while end < text.len() {
        let Some(next) = line_of_block(text, end + 1, 0).filter(|next| *next > end + 1) else { break };
        end = next;
    }
    end
}

/// Plain decoding of Base64; what is no Base64 is skipped.
pub(crate) fn decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in text {
        let Some(value) = sextet(*byte) else { continue };
        bits = (bits << 6) | value;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from((bits >> held) & 0xff).unwrap_or_default());
        }
    }
    out
}

fn sextet(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}
