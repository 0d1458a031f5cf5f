//! Finds reasoning that a model writes into its text, between `<think>` and `</think>` at the very start.
//!
//! The tags may be cut anywhere. A reply whose opening tag the server swallowed cannot be told from plain text in
//! time, and is taken as text.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";
/// More blanks than this at the start are text, and are not kept waiting for a tag.
const LONGEST_BLANK: usize = 256;

/// Splits a text into what is thought and what is said.
#[derive(Debug, Default)]
pub(super) struct ThinkFilter {
    place: Place,
    /// What may be the first half of a tag.
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Start,
    Thinking,
    /// Behind the closing tag, before the text.
    Between,
    Text,
}

/// What a piece of text turned out to be; the thinking comes first.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Split {
    pub(super) thinking: String,
    pub(super) text: String,
}

impl ThinkFilter {
    /// Takes in the next piece.
    pub(super) fn push(&mut self, piece: &str) -> Split {
        self.held.push_str(piece);
        let mut split = Split::default();
        while self.step(&mut split) {}
        split
    }

    /// No more comes: what was held back is what it looks like.
    pub(super) fn end(&mut self) -> Split {
        let held = std::mem::take(&mut self.held);
        match self.place {
            Place::Start | Place::Text => Split { text: held, ..Split::default() },
            Place::Thinking => Split { thinking: held, ..Split::default() },
            Place::Between => Split::default(),
        }
    }

    /// Reads as far as one place goes; whether the next place may have begun.
    fn step(&mut self, split: &mut Split) -> bool {
        match self.place {
            Place::Start => {
                let begun = self.held.trim_start();
                let is_too_blank = self.held.len() - begun.len() > LONGEST_BLANK;
                if let Some(rest) = begun.strip_prefix(OPEN).filter(|_| !is_too_blank) {
                    (self.held, self.place) = (rest.trim_start().to_owned(), Place::Thinking);
                    return true;
                }
                if OPEN.starts_with(begun) && !is_too_blank {
                    return false;
                }
                self.place = Place::Text;
                true
            }
            Place::Thinking => {
                if let Some((thinking, rest)) = self.held.split_once(CLOSE) {
                    split.thinking.push_str(thinking);
                    (self.held, self.place) = (rest.to_owned(), Place::Between);
                    return true;
                }
                let safe = self.held.len() - half_tag(&self.held);
                split.thinking.extend(self.held.drain(..safe));
                false
            }
            Place::Between => {
                let text = self.held.trim_start().to_owned();
                self.place = if text.is_empty() { Place::Between } else { Place::Text };
                self.held = text;
                self.place == Place::Text
            }
            Place::Text => {
                split.text.push_str(&std::mem::take(&mut self.held));
                false
            }
        }
    }
}

/// How many bytes at the end may be the beginning of a closing tag.
fn half_tag(text: &str) -> usize {
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
    fn thinking_is_only_at_the_start() {
        for (text, thinking, said) in [
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
            let expected = Split { thinking: thinking.to_owned(), text: said.to_owned() };
            assert_eq!(split(&[text]), expected, "{text}");
        }
    }

    #[test]
    fn endless_blanks_are_given_out() {
        let mut filter = ThinkFilter::default();
        let given: usize = (0..1000).map(|_| filter.push("\n").text.len()).sum();
        assert_eq!((given, filter.held.len()), (1000, 0));
        assert_eq!(filter.push("<think>").text, "<think>");
    }

    proptest! {
        #[test]
        fn cuts_change_nothing(text in "( |\n)?(<think>)?[a<>/é]{0,8}(</think>)?[a<>\n]{0,6}", cuts in prop::collection::vec(0_usize..40, 0..5)) {
            let mut pieces = vec![text.as_str()];
            for cut in cuts {
                let last = pieces.pop().unwrap_or_default();
                let at = last.char_indices().map(|(at, _)| at).nth(cut % (last.chars().count() + 1)).unwrap_or(last.len());
                let (left, right) = last.split_at(at);
                pieces.extend([left, right]);
            }
            // A leading blank inside the tag is dropped, and only as far as it has come with the tag.
            let strip = |split: Split| (split.thinking.trim_start().to_owned(), split.text);
            prop_assert_eq!(strip(split(&pieces)), strip(split(&[&text])));
        }
    }
}
