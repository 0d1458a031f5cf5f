//! JSON Web Tokens: signed, encrypted, unsecured or truncated.

use crate::bytes::{Class, Runs, begins_word};
use crate::kind::SecretKind;
use crate::span::Span;

/// Minimum length of a header like `{"alg":"HS256"}`.
const MIN_HEADER: usize = 16;

/// Returns the token that starts at `at` with `eyJ`.
pub(crate) fn find(text: &[u8], at: usize, runs: &mut Runs<'_>) -> Option<Span> {
    if !text.get(at..)?.starts_with(b"eyJ") || !begins_word(text, at) {
        return None;
    }
    let mut end = runs.end(Class::Dashed, at);
    if end - at < MIN_HEADER || text.get(end) != Some(&b'.') {
        return None;
    }
    // A signed token has three parts, an encrypted one five.
    for _ in 0..4 {
        let part = runs.end(Class::Dashed, end + 1);
        if text.get(end) != Some(&b'.') || part == end + 1 {
            break;
        }
        end = part;
    }
    // An unsecured token ends with its second dot.
    let is_second = text.get(at..end)?.iter().filter(|byte| **byte == b'.').count() == 1;
    if is_second && text.get(end) == Some(&b'.') && text.get(end + 1).is_none_or(|byte| *byte != b'.') {
        end += 1;
    }
    (end - at >= MIN_HEADER + 8).then_some(Span::new(at, end, SecretKind::Jwt))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        let at = text.find("eyJ")?;
        find(text.as_bytes(), at, &mut Runs::new(text.as_bytes())).map(|span| &text[span.start..span.end])
    }

    #[test]
    fn finds_all_parts_of_a_token() {
        let header = "eyJhbGciOiJub25lIn0";
        assert_eq!(found(&format!("a {header}.e30K1234.abc- d")), Some(&*format!("{header}.e30K1234.abc-")));
        assert_eq!(found(&format!("{header}.e30K1234. Next")), Some(&*format!("{header}.e30K1234.")));
        assert_eq!(found(&format!("{header} alone")), None);
        assert_eq!(found("keyJhbGciOiJub25lIn0.e30K1234.a"), None);
    }
}
