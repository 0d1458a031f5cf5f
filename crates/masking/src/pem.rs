//! Armored keys and certificates: PEM, OpenSSH, PGP and PuTTY.
//!
//! Public keys are not masked. A truncated block is masked as far as it looks like one.

use crate::bytes::{Class, Runs, begins_word, line_end, line_start};
use crate::kind::SecretKind;
use crate::span::Span;

/// Prefixes of armor.
pub(crate) const ARMOR: &[&str] = &["-----BEGIN ", "---- BEGIN ", "PuTTY-User-Key-File-"];

/// Base64 of the armor prefixes `-----BEGIN ` and `---- BEGIN `.
pub(crate) const ENCODED: &[&str] = &["LS0tLS1CRUdJTi", "LS0tLSBCRUdJTi"];

/// Upper bound for the length of a label.
const MAX_LABEL: usize = 64;

/// Maximum width of the prefix of each line of a block.
const MAX_MARGIN: usize = 128;

/// Returns the block that starts at `at`.
pub(crate) fn find(text: &[u8], at: usize) -> Option<Span> {
    let rest = text.get(at..)?;
    if rest.starts_with(b"PuTTY") {
        return Some(Span::new(at, end_of_putty(text, at), SecretKind::SshKey));
    }
    let dashes = rest.iter().position(|byte| *byte != b'-')?;
    let label = rest
        .get(dashes..)?
        .strip_prefix(b" BEGIN ")
        .or_else(|| rest.get(dashes..)?.strip_prefix(b"BEGIN "))?;
    let length = label.iter().take(MAX_LABEL).position(|byte| *byte == b'-')?;
    let label = label.get(..length)?.trim_ascii();
    let kind = kind(label)?;
    Some(Span::new(at, end_of_block(text, at, label), kind))
}

/// Returns the Base64 of a block that starts at `at`.
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

fn kind(label: &[u8]) -> Option<SecretKind> {
    let has = |word: &[u8]| label.windows(word.len()).any(|window| window == word);
    if has(b"PUBLIC") || has(b"PGP MESSAGE") || has(b"PGP SIGN") {
        None
    } else if has(b"OPENSSH") || has(b"SSH2") {
        Some(SecretKind::SshKey)
    } else if has(b"KEY") {
        Some(SecretKind::PrivateKey)
    } else if has(b"CERTIFICATE") || has(b"PKCS7") || has(b"CMS") || has(b"X509") {
        Some(SecretKind::Certificate)
    } else {
        None
    }
}

/// Returns the offset after `-----END … -----`, or the end of the lines that look like a block.
fn end_of_block(text: &[u8], at: usize, label: &[u8]) -> usize {
    let from = at + 11 + label.len();
    let margin = at - line_start(text, at, MAX_MARGIN).unwrap_or(at);
    let end = content_end(text, from, margin);
    let rest = text.get(end..).unwrap_or_default();
    let dashes = rest.iter().position(|byte| *byte != b'-').unwrap_or(0);
    let rest = rest.get(dashes..).unwrap_or_default();
    let rest = rest.strip_prefix(b" ").unwrap_or(rest);
    if dashes < 4 || !rest.starts_with(b"END ") {
        return end;
    }
    end_of_label(text, text.len() - rest.len() + 4)
}

/// Returns the offset after the label of the last line and its dashes.
fn end_of_label(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..text.len().min(from + MAX_LABEL)).unwrap_or_default();
    let is_label = |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b' ';
    let label = rest.iter().take_while(is_label).count();
    let dashes = rest.iter().skip(label).take_while(|byte| **byte == b'-').count();
    from + label + dashes
}

/// Returns how far a text looks like the inside of a block: Base64 and headers.
///
/// It ends at four dashes, or at a line that does not belong to a block.
fn content_end(text: &[u8], from: usize, margin: usize) -> usize {
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

/// Returns the end of a line that belongs to a block: a header, Base64, an empty line, or its last line.
///
/// All lines of a block may have a prefix of the same width as the first one, such as a timestamp.
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

/// Removes the mark of a quotation or of a diff.
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

/// Returns the end of a PuTTY file, which consists of headers and Base64.
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

/// Decodes Base64, skipping other bytes.
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
