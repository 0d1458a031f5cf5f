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
        let keeps_piece = is_complete || trimmed.len() > text.len();
        return if keeps_piece { trimmed.to_owned() } else { text.to_owned() };
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
    if longest >= MIN_OVERLAP || repeats_word(text, piece, longest) { longest } else { 0 }
}

/// Returns whether the overlap is a word that was cut off in `text` and is written in full in `piece`.
fn repeats_word(text: &str, piece: &str, overlap: usize) -> bool {
    let (before, word) = text.split_at(text.len() - overlap);
    word.len() >= MIN_REPEATED_WORD
        && word.chars().all(char::is_alphanumeric)
        && !before.ends_with(char::is_alphanumeric)
        && piece[overlap..].starts_with(char::is_alphanumeric)
}

/// Returns what is missing between the pieces: a heading or a list item starts on its own line.
fn separator(text: &str, piece: &str) -> &'static str {
    if text.ends_with(char::is_whitespace) {
        return "";
    }
    let is_heading = piece.trim_start_matches('#').starts_with(' ') && piece.starts_with('#');
    let is_item = ["- ", "* ", "+ "].iter().any(|mark| piece.starts_with(mark));
    match (is_heading, is_item && text.ends_with(['.', ':', '!', '?', '`', '*', ')'])) {
        (true, _) => "\n\n",
        (false, true) => "\n",
        (false, false) => "",
    }
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
    fn closes_the_fence_that_is_open() {
        assert_eq!(with_closed_fence("a\n```yaml\nb: 1\n"), "a\n```yaml\nb: 1\n```");
        assert_eq!(with_closed_fence("a\n```\nb\n```\nc "), "a\n```\nb\n```\nc");
        assert_eq!(with_closed_fence("a\n~~~\n```"), "a\n~~~\n```\n~~~");
    }
}
