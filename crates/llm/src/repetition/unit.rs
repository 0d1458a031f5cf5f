//! Splits a text into lines and sentences, the units that a model repeats, and normalizes them.
//!
//! Two units are equal if they differ only in numbering, list markers, emphasis, case, spacing and final
//! punctuation. Numbers inside a unit count: lines of logs and tables differ in them.

/// Maximum length of a unit in bytes; a longer one is split.
const MAX_LENGTH: usize = 2000;
/// Minimum number of letters of a sentence: abbreviations and initials end no sentence.
const MIN_SENTENCE: usize = 8;
/// Words that may precede the number of a unit.
const NUMBERED: &[&str] = &["step", "item", "point", "note", "schritt"];

/// Returns whether a unit ends after `text`, which is followed by `next`.
pub(super) fn ends(text: &str, next: char) -> bool {
    if next == '\n' || text.len() >= MAX_LENGTH {
        return true;
    }
    let mut characters = text.chars().rev();
    match characters.next() {
        Some('。' | '！' | '？') => true,
        // A digit before the full stop is the number of a list.
        Some('.' | '!' | '?') if next.is_whitespace() => {
            characters.next().is_some_and(|before| !before.is_ascii_digit())
                && text.chars().filter(|character| character.is_alphabetic()).count() >= MIN_SENTENCE
        }
        Some(_) | None => false,
    }
}

/// Returns the comparable form of a unit.
pub(super) fn normalized(text: &str) -> String {
    let text = text.to_lowercase().replace(['*', '`'], "");
    let words = without_number(text.trim_start());
    let joined = words.split_whitespace().collect::<Vec<_>>().join(" ");
    joined.trim_end_matches(|end: char| end.is_whitespace() || ".,;:!?。！？".contains(end)).to_owned()
}

/// Returns the comparable form of the beginning of a unit: what its comparable form will begin with.
pub(super) fn normalized_start(text: &str) -> String {
    let lower = text.to_lowercase().replace(['*', '`'], "");
    let start = without_marker(&lower);
    let may_become_number = |word: &str| {
        let rest = start.strip_prefix(word).map(str::trim);
        word.starts_with(start) || rest.is_some_and(|rest| rest.chars().all(|digit| digit.is_ascii_digit()))
    };
    if NUMBERED.iter().any(|word| may_become_number(word)) { String::new() } else { normalized(text) }
}

fn without_marker(text: &str) -> &str {
    text.trim_start_matches(|first: char| first.is_whitespace() || "-+•>#(".contains(first))
}

/// Removes list markers and numbering: `- `, `41. `, `(3) `, `Step 3: `.
fn without_number(text: &str) -> &str {
    let text = without_marker(text);
    let word = NUMBERED.iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
    let number = word.trim_start();
    let after = number.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let is_numbered = after.len() < number.len();
    match after.strip_prefix(['.', ')', ':']) {
        Some(rest) if is_numbered && (rest.is_empty() || rest.starts_with(char::is_whitespace)) => rest,
        // The number may continue.
        None if is_numbered && after.is_empty() => "",
        Some(_) | None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbering_and_form_are_ignored_but_numbers_inside_are_not() {
        let same =
            ["41. Check the pod.", "- **Check** the  pod", "(7) check the pod!", "Step 3: check the pod"];
        for text in same {
            assert_eq!(normalized(text), "check the pod", "{text}");
        }
        for (one, other) in [
            ("10:02:03 ready", "10:02:04 ready"),
            ("web-1 is ready", "web-2 is ready"),
            ("Node 1: ready", "Node 2: ready"),
            ("- 3 pods", "- 4 pods"),
            ("1.5 GiB used", "2.5 GiB used"),
        ] {
            assert_ne!(normalized(one), normalized(other));
        }
    }

    #[test]
    fn the_beginning_of_a_unit_may_become_a_number() {
        for start in ["", "  - ", "4", "41.", "(3", "St", "Step", "Step 3", "**Step 3"] {
            assert_eq!(normalized_start(start), "", "{start}");
        }
        assert_eq!(normalized_start("Step 3: Check the p"), "check the p");
        assert_eq!(normalized_start("Steps to"), "steps to");
    }

    #[test]
    fn lines_and_sentences_end_units() {
        assert!(ends("anything", '\n'));
        assert!(ends("Check the pods again.", ' '));
        assert!(ends("検査。", '次'));
        for (text, next) in [("41.", ' '), ("e.g.", ' '), ("Check the pods", ' '), ("See example.com", '.')] {
            assert!(!ends(text, next), "{text}");
        }
    }
}
