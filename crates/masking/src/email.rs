//! E-mail addresses. Similar texts are not masked: image digests, versions, systemd units, Git remotes.

use crate::bytes::Class;
use crate::kind::SecretKind;
use crate::span::Span;

/// Suffixes that are not top-level domains.
const NOT_TOP_LEVEL: &str = "service socket timer target slice scope mount device path swap png jpg jpeg gif svg webp js mjs cjs \
    ts tsx jsx css json html yaml yml go py rb rs java kt sh md txt log lock tgz gz zip local internal \
    localdomain svc cluster conf cfg toml xml sql pem so jar";

/// The `@`, also URL-encoded.
pub(crate) const SIGNS: &[&str] = &["@", "%40"];

/// Returns the address around an `@`.
pub(crate) fn find(text: &[u8], at: usize, after: usize) -> Option<Span> {
    let start = local_part(text, at)?;
    let end = domain(text, after)?;
    let is_git = text.get(start..at)?.eq_ignore_ascii_case(b"git");
    (!is_git && !is_login(text, start)).then_some(Span::new(start, end, SecretKind::Email))
}

/// Returns whether the user or the password of a URL starts here: `//bob@host`, `//bob:PASSWORD@host`.
fn is_login(text: &[u8], start: usize) -> bool {
    let before = text.get(start.saturating_sub(96)..start).unwrap_or_default();
    let user = before.strip_suffix(b":").map(|before| {
        let length = before.iter().rev().take_while(|byte| Class::Name.has(**byte)).count();
        before.get(..before.len() - length).unwrap_or_default()
    });
    user.unwrap_or(before).ends_with(b"//")
}

fn local_part(text: &[u8], at: usize) -> Option<usize> {
    let window = text.get(at.saturating_sub(65)..at)?;
    let is_local = |byte: u8| Class::Name.has(byte) || matches!(byte, b'+' | b'%');
    let length = window.iter().rev().take_while(|byte| is_local(**byte)).count();
    let local = window.get(window.len() - length..)?;
    let skipped = local.iter().take_while(|byte| matches!(byte, b'.' | b'-' | b'%' | b'+')).count();
    let is_name = local.get(skipped..)?.iter().any(u8::is_ascii_alphanumeric);
    (is_name && length <= 64 && local.last() != Some(&b'.')).then_some(at - length + skipped)
}

fn domain(text: &[u8], from: usize) -> Option<usize> {
    let window = text.get(from..text.len().min(from + 254))?;
    let length =
        window.iter().position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.')));
    let domain = window.get(..length.unwrap_or(window.len()))?;
    let kept = domain.iter().rposition(u8::is_ascii_alphanumeric)? + 1;
    let domain = domain.get(..kept)?;
    let labels: Vec<&[u8]> = domain.split(|byte| *byte == b'.').collect();
    let last = labels.last()?;
    let is_top = (2..=24).contains(&last.len()) && last.iter().all(u8::is_ascii_alphabetic);
    let is_excluded = || NOT_TOP_LEVEL.split(' ').any(|name| last.eq_ignore_ascii_case(name.as_bytes()));
    let is_version = labels.first()?.iter().all(u8::is_ascii_digit);
    let is_domain = labels.len() > 1 && labels.iter().all(|label| !label.is_empty());
    (is_domain && is_top && !is_version && !is_excluded()).then_some(from + kept)
}
