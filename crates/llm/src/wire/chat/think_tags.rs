//! Extracts reasoning between `<think>` and `</think>` at the start of the text.
//!
//! Tags may be split across deltas. If the server drops the opening tag, the reasoning cannot be
//! distinguished from text and is treated as text.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";
/// More whitespace than this at the start is emitted as text instead of waiting for a tag.
const MAX_LEADING_WHITESPACE: usize = 256;

/// Splits streamed text into reasoning and text.
#[derive(Debug, Default)]
pub(super) struct ThinkFilter {
    position: TagPosition,
    /// Text that may be the start of a tag.
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum TagPosition {
    #[default]
    Start,
    Thinking,
    /// Between the closing tag and the text.
    Between,
    Text,
}

/// A delta, split. The reasoning comes before the text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Split {
    pub(super) thinking: String,
    pub(super) text: String,
}

impl ThinkFilter {
    /// Adds a delta.
    pub(super) fn push(&mut self, delta: &str) -> Split {
        self.held.push_str(delta);
        let mut split = Split::default();
        while self.step(&mut split) {}
        split
    }

    /// Handles the end of the text; an incomplete tag is content.
    pub(super) fn end(&mut self) -> Split {
        let held = std::mem::take(&mut self.held);
        match self.position {
            TagPosition::Start | TagPosition::Text => Split { text: held, ..Split::default() },
            TagPosition::Thinking => Split { thinking: held, ..Split::default() },
            TagPosition::Between => Split::default(),
        }
    }

    /// Processes the text at one position. Returns whether the next position may have been reached.
    fn step(&mut self, split: &mut Split) -> bool {
        match self.position {
            TagPosition::Start => {
                let trimmed = self.held.trim_start();
                let has_too_much_whitespace = self.held.len() - trimmed.len() > MAX_LEADING_WHITESPACE;
                if let Some(rest) = trimmed.strip_prefix(OPEN).filter(|_| !has_too_much_whitespace) {
                    (self.held, self.position) = (rest.trim_start().to_owned(), TagPosition::Thinking);
                    return true;
                }
                if OPEN.starts_with(trimmed) && !has_too_much_whitespace {
                    return false;
                }
                self.position = TagPosition::Text;
                true
            }
            TagPosition::Thinking => {
                if let Some((thinking, rest)) = self.held.split_once(CLOSE) {
                    split.thinking.push_str(thinking);
                    (self.held, self.position) = (rest.to_owned(), TagPosition::Between);
                    return true;
                }
                let safe = self.held.len() - partial_tag_length(&self.held);
                split.thinking.extend(self.held.drain(..safe));
                false
            }
            TagPosition::Between => {
                let text = self.held.trim_start().to_owned();
                self.position = if text.is_empty() { TagPosition::Between } else { TagPosition::Text };
                self.held = text;
                self.position == TagPosition::Text
            }
            TagPosition::Text => {
                split.text.push_str(&std::mem::take(&mut self.held));
                false
            }
        }
    }
}

/// Returns the number of bytes at the end that may be the start of a closing tag.
fn partial_tag_length(text: &str) -> usize {
    (1..CLOSE.len()).rev().find(|length| text.ends_with(&CLOSE[..*length])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(pieces: &[&str]) -> Split {
        let mut filter = ThinkFilter::default();
        let mut whole = Split::default();
        let splits: Vec<_> = pieces.iter().map(|piece| filter.push(piece)).collect();
        for part in splits.into_iter().chain([filter.end()]) {
            whole.thinking.push_str(&part.thinking);
            whole.text.push_str(&part.text);
        }
        whole
    }

    #[test]
    fn finds_reasoning_only_at_the_start() {
        for (text, thinking, rest) in [
            ("<think>a < b</think>\n\nyes", "a < b", "yes"),
            ("\n<think>\nhm</think>yes", "hm", "yes"),
            ("<think></think>yes", "", "yes"),
            ("<think>for ever", "for ever", ""),
            ("<think>cut</thi", "cut</thi", ""),
            ("<thin", "", "<thin"),
            ("  plain <think>x</think>", "", "  plain <think>x</think>"),
            ("<think>a</think>b</think>c", "a", "b</think>c"),
            ("", "", ""),
        ] {
            let expected = Split { thinking: thinking.to_owned(), text: rest.to_owned() };
            assert_eq!(split(&[text]), expected, "{text}");
        }
    }

    #[test]
    fn emits_long_leading_whitespace() {
        let mut filter = ThinkFilter::default();
        let emitted: usize = (0..1000).map(|_| filter.push("\n").text.len()).sum();
        assert_eq!((emitted, filter.held.len()), (1000, 0));
        assert_eq!(filter.push("<think>").text, "<think>");
    }

    proptest! {
        #[test]
        fn delta_boundaries_do_not_matter(text in "( |\n)?(<think>)?[a<>/é]{0,8}(</think>)?[a<>\n]{0,6}", cuts in prop::collection::vec(0_usize..40, 0..5)) {
            let mut pieces = vec![text.as_str()];
            for cut in cuts {
                let last = pieces.pop().unwrap_or_default();
                let at = last.char_indices().map(|(at, _)| at).nth(cut % (last.chars().count() + 1)).unwrap_or(last.len());
                let (left, right) = last.split_at(at);
                pieces.extend([left, right]);
            }
            // Leading whitespace inside the tag is dropped only if it arrives with the tag.
            let strip = |split: Split| (split.thinking.trim_start().to_owned(), split.text);
            prop_assert_eq!(strip(split(&pieces)), strip(split(&[&text])));
        }
    }
}
