//! Names of XML elements: `<name>value</name>`, `<ns:name attribute="…">value</ns:name>`.

use crate::bytes::Class;

/// Maximum length of a tag, in bytes.
const MAX_TAG: usize = 256;

/// Returns whether the name at `start` belongs to an opening tag.
pub(super) fn is_tag(text: &[u8], start: usize) -> bool {
    let window = text.get(start.saturating_sub(32)..start).unwrap_or_default();
    let Some(before) = window.strip_suffix(b":") else { return window.ends_with(b"<") };
    let prefix = before.iter().rev().take_while(|byte| Class::Name.has(**byte)).count();
    prefix > 0 && before.get(..before.len() - prefix).is_some_and(|rest| rest.ends_with(b"<"))
}

/// Returns the start of the content of the tag whose name ends at `at`.
pub(super) fn content(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..text.len().min(at + MAX_TAG))?;
    let end = rest.iter().position(|byte| matches!(byte, b'<' | b'>'))?;
    let is_empty = end > 0 && rest.get(end - 1) == Some(&b'/');
    (rest.get(end) == Some(&b'>') && !is_empty).then_some(at + end + 1)
}

/// Returns start and end of the text of an element, trimmed.
pub(super) fn text_within(text: &[u8], from: usize, limit: usize) -> Option<(usize, usize)> {
    const DATA: &[u8] = b"<![CDATA[";
    let rest = text.get(from..text.len().min(from.saturating_add(limit)))?;
    let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let (start, rest) = match rest.get(blanks..)?.strip_prefix(DATA) {
        Some(inner) => (from + blanks + DATA.len(), inner),
        None => (from + blanks, rest.get(blanks..)?),
    };
    let end = rest.iter().position(|byte| matches!(byte, b'<' | b']'));
    // Without an end, only a long text without whitespace counts as content.
    let is_long = || rest.len() >= 64 && !rest.iter().any(|byte| byte.is_ascii_whitespace() || *byte == b'"');
    let length = end.or_else(|| is_long().then_some(rest.len()))?;
    Some((start, start + rest.get(..length)?.trim_ascii_end().len()))
}
