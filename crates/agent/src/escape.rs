//! Escapes untrusted text, so that it can neither open nor close a marker nor start a new line.
//!
//! Markers are HTML comments that only this program writes. Code fences are in `prompt::fence`.

/// Escapes the start and end of HTML comments. Idempotent.
pub(crate) fn escape_comments(text: &str) -> String {
    text.replace("<!--", "&lt;!--").replace("-->", "--&gt;").replace("--!>", "--!&gt;")
}

/// Returns the text on one line, without control characters and comments.
pub(crate) fn one_line(text: &str) -> String {
    escape_comments(&joined_words(text))
}

/// Returns the text on one line, truncated to `limit` characters. The cost does not depend on the length of
/// the text.
pub(crate) fn short_line(text: &str, limit: usize) -> String {
    let beginning = first(text, limit.saturating_mul(4));
    let line = joined_words(beginning);
    let short = first(&line, limit);
    let is_cut = short.len() < line.len() || beginning.len() < text.len();
    escape_comments(short) + if is_cut { "…" } else { "" }
}

/// Returns the first `limit` characters.
fn first(text: &str, limit: usize) -> &str {
    text.char_indices().nth(limit).map_or(text, |(end, _)| &text[..end])
}

fn joined_words(text: &str) -> String {
    let words = text.split(|character: char| character.is_whitespace() || character.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_starts_and_ends_of_comments_that_overlap() {
        let cases = [
            ("<!-- a -->", "&lt;!-- a --&gt;"),
            ("<!-->", "&lt;!--&gt;"),
            ("<!--->", "&lt;!---&gt;"),
            ("<!--!>", "&lt;!--!&gt;"),
            ("<<!----!>>", "<&lt;!----!&gt;>"),
            ("a < b, c -> d, e -- f", "a < b, c -> d, e -- f"),
        ];
        for (text, expected) in cases {
            assert_eq!(escape_comments(text), expected, "{text}");
        }
    }

    #[test]
    fn a_line_has_no_breaks_and_a_maximum_length() {
        assert_eq!(one_line("  a\r\n\tb\u{0}c\u{2028}d -->"), "a b c d --&gt;");
        assert_eq!(short_line("üü\nüü", 4), "üü ü…");
        assert_eq!(short_line("a -->", 5), "a --&gt;");
        assert_eq!(short_line(&format!("a{}b", " ".repeat(50)), 3), "a…");
        assert_eq!(short_line("", 3), "");
    }

    proptest::proptest! {
        #[test]
        fn escaped_text_contains_no_comment(text in "[<!>a-]{0,40}") {
            let escaped = escape_comments(&text);
            for end in ["<!--", "-->", "--!>"] {
                proptest::prop_assert!(!escaped.contains(end), "{escaped}");
            }
            proptest::prop_assert_eq!(escape_comments(&escaped), escaped);
        }
    }
}
