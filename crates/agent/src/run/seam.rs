//! Joins the pieces of a text that a model wrote in several replies.
//!
//! Models do not always continue exactly where a reply was cut off: some repeat the last word or the last
//! lines, some start again from the beginning. A repeated part is dropped. Apart from that, the pieces are
//! joined as they are.

/// Maximum length in bytes of a repeated part that is searched for.
const MAX_OVERLAP: usize = 2_000;
/// Minimum length in bytes of a repeated part. A shorter one may be a coincidence, such as `the`.
const MIN_OVERLAP: usize = 8;
/// Minimum length in bytes of a word that was cut off and is written again from its start.
const MIN_REPEATED_WORD: usize = 3;
/// Number of equal bytes at the start of both pieces that show that the model started again.
const RESTART: usize = 40;

/// Joins a text and the piece that continues it. `is_complete` says that nothing follows the piece.
pub(super) fn join(text: &str, piece: &str, is_complete: bool) -> String {
    let trimmed = piece.trim_start();
    if starts_again(text, trimmed) {
        if text.trim_start().starts_with(trimmed.trim_end()) && !is_complete {
            return text.to_owned();
        }
        // A short piece with the same start is the rest below a repeated heading or table head.
        if trimmed.len() >= text.len() / 2 {
            return trimmed.to_owned();
        }
        return format!("{}\n\n{trimmed}", text.trim_end());
    }
    for piece in [piece, trimmed] {
        let overlap = overlap(text, piece);
        if overlap > 0 {
            return format!("{text}{}", &piece[overlap..]);
        }
    }
    format!("{text}{}{piece}", separator(text, piece))
}

/// Returns the text with the fence closed that is open at its end, so that a line after it is no code.
pub(super) fn with_closed_fence(text: &str) -> String {
    let fence = |line: &str| {
        let line = line.trim_start();
        ["```", "~~~"].into_iter().find(|fence| line.starts_with(fence))
    };
    let mut open = None;
    for found in text.lines().filter_map(fence) {
        open = match open {
            None => Some(found),
            Some(open) if open == found => None,
            Some(open) => Some(open),
        };
    }
    match open {
        Some(fence) => format!("{}\n{fence}", text.trim_end()),
        None => text.trim_end().to_owned(),
    }
}

fn starts_again(text: &str, piece: &str) -> bool {
    let text = text.trim_start();
    let equal = text.bytes().zip(piece.bytes()).take_while(|(one, other)| one == other).count();
    equal >= RESTART
}

/// Returns the length of the start of `piece` that repeats the end of `text`.
fn overlap(text: &str, piece: &str) -> usize {
    let longest = piece.floor_char_boundary(MAX_OVERLAP).min(text.len());
    let is_overlap = |length: usize| {
        piece.is_char_boundary(length) && text.as_bytes().ends_with(&piece.as_bytes()[..length])
    };
    let longest = (1..=longest).rev().find(|length| is_overlap(*length)).unwrap_or(0);
    let is_repetition = longest >= MIN_OVERLAP && piece[..longest].contains(char::is_alphanumeric);
    if is_repetition || repeats_word(text, piece, longest) { longest } else { 0 }
}

/// Returns whether the overlap is a word that was cut off in `text` and is written in full in `piece`.
fn repeats_word(text: &str, piece: &str, overlap: usize) -> bool {
    let (before, word) = text.split_at(text.len() - overlap);
    word.len() >= MIN_REPEATED_WORD
        && word.chars().all(char::is_alphanumeric)
        && !before.ends_with(char::is_alphanumeric)
        && piece[overlap..].starts_with(char::is_alphanumeric)
}

/// Returns what is missing between the pieces: a heading, a list item, a table row or a fence starts on its own line,
/// and so does the text after a fence.
fn separator(text: &str, piece: &str) -> &'static str {
    if text.ends_with(char::is_whitespace) || piece.starts_with(char::is_whitespace) || text.is_empty() {
        return "";
    }
    let is_heading = piece.trim_start_matches('#').starts_with(' ') && piece.starts_with('#');
    let is_row = text.ends_with('|') && piece.starts_with('|');
    let is_fence = piece.starts_with("```") && !text.ends_with('`');
    match (is_heading, is_row || is_fence || ends_with_fence(text) || (is_item(piece) && ends_sentence(text)))
    {
        (true, _) => "\n\n",
        (false, true) => "\n",
        (false, false) => "",
    }
}

/// Returns whether a text starts with `- `, `* `, `+ ` or `2. `.
fn is_item(text: &str) -> bool {
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = (1..=2).contains(&(text.len() - after.len())) && after.starts_with(". ");
    is_numbered || ["- ", "* ", "+ "].iter().any(|mark| text.starts_with(mark))
}

fn ends_sentence(text: &str) -> bool {
    text.ends_with(['.', ':', '!', '?', '`', '*', ')'])
}

/// Returns whether the last line of a text is a closing fence.
fn ends_with_fence(text: &str) -> bool {
    let is_fence = |line: &str| line.trim_start().starts_with("```");
    text.ends_with("\n```") && text.lines().filter(|line| is_fence(line)).count().is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_what_the_second_piece_repeats() {
        let cases = [
            ("The disk of node-3 is fu", "ll.", "The disk of node-3 is full."),
            ("The disk ", "is full.", "The disk is full."),
            ("The disk", " is full.", "The disk is full."),
            ("It was OOMKil", "OOMKilled at 10:02.", "It was OOMKilled at 10:02."),
            ("1. One\n2. The limit is too", "2. The limit is too low.", "1. One\n2. The limit is too low."),
            ("a\nThe last line", "\n\nThe last line of all", "a\nThe last line of all"),
            ("see the", " the", "see the the"),
            ("see the", "the cluster", "see thethe cluster"),
            ("über den Rand hinüber", "hinüber gehen", "über den Rand hinüber gehen"),
            ("The cause is memory.", "## Actions\n", "The cause is memory.\n\n## Actions\n"),
            ("Do this:", "- restart", "Do this:\n- restart"),
            ("from 5 to", "- 10", "from 5 to- 10"),
            ("1. Restart it.", "2. Raise the limit.", "1. Restart it.\n2. Raise the limit."),
            ("version 1", "2. That", "version 12. That"),
            ("| a | b |", "| c | d |", "| a | b |\n| c | d |"),
            ("|--------", "--------|", "|----------------|"),
            ("Run:\n```sh\ndf", "```\nThen", "Run:\n```sh\ndf\n```\nThen"),
            ("```sh\ndf\n```", "Then wait.", "```sh\ndf\n```\nThen wait."),
            ("Run:\n```", "sh\ndf\n```", "Run:\n```sh\ndf\n```"),
            ("", "all", "all"),
        ];
        for (text, piece, expected) in cases {
            assert_eq!(join(text, piece, true), expected, "{text} + {piece}");
        }
    }

    #[test]
    fn an_answer_that_starts_again_replaces_the_first_piece() {
        let first = "## What is wrong\n\nThe disk of node-3 in the cluster is fu";
        let again = "## What is wrong\n\nThe disk of node-3 in the cluster is full.\n\n## Impact\n\nNone.";
        assert_eq!(join(first, again, true), again);
        assert_eq!(join(first, &again[..50], false), first, "a shorter piece that is cut off adds nothing");
    }

    #[test]
    fn a_repeated_table_head_does_not_replace_the_table() {
        let head = "| Pod | Status | Restarts | Node | Namespace |\n|---|---|---|---|---|\n";
        let rows = "| web-0 | Running | 0 | node-1 | shop |\n".repeat(20);
        let rest = format!("{head}| web-1 | Failed | 9 | node-2 | shop |");
        let joined = join(&format!("{head}{rows}"), &rest, true);
        assert!(joined.contains(&rows) && joined.ends_with("| shop |"), "{joined}");
    }

    #[test]
    fn closes_the_fence_that_is_open() {
        assert_eq!(with_closed_fence("a\n```yaml\nb: 1\n"), "a\n```yaml\nb: 1\n```");
        assert_eq!(with_closed_fence("a\n```\nb\n```\nc "), "a\n```\nb\n```\nc");
        assert_eq!(with_closed_fence("a\n~~~\n```"), "a\n~~~\n```\n~~~");
    }
}
