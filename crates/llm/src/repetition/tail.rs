//! Detects an endless repetition of any text, by its bytes.
//!
//! Only the tail is inspected: it must consist of a few kilobytes of one short text, repeated. Prose, code,
//! tables and logs do not.

/// Length of the tail and maximum length of the repeated text: a sentence is detected early, a page later.
const SCALES: [Scale; 2] =
    [Scale { tail: 6 * 1024, period: 512 }, Scale { tail: 48 * 1024, period: 8 * 1024 }];
/// Number of checks per tail length, so that each byte is read only a few times.
const CHECKS_PER_TAIL: usize = 6;

struct Scale {
    tail: usize,
    period: usize,
}

/// The end of a text.
#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
    /// Bytes since the last check, for each scale.
    unchecked: [usize; SCALES.len()],
}

impl Tail {
    /// Adds text and returns whether the tail is nothing but repetition.
    pub(super) fn add(&mut self, text: &str) -> bool {
        self.bytes.extend_from_slice(text.as_bytes());
        let longest = SCALES.iter().map(|scale| scale.tail).max().unwrap_or_default();
        if self.bytes.len() > 2 * longest {
            self.bytes.drain(..self.bytes.len() - longest);
        }
        let mut repeats = false;
        for (scale, unchecked) in SCALES.iter().zip(&mut self.unchecked) {
            *unchecked += text.len();
            if *unchecked >= scale.tail / CHECKS_PER_TAIL {
                *unchecked = 0;
                repeats |= scale.is_repetition(&self.bytes);
            }
        }
        repeats
    }
}

impl Scale {
    fn is_repetition(&self, bytes: &[u8]) -> bool {
        bytes.len().checked_sub(self.tail).is_some_and(|start| period(&bytes[start..]) <= self.period)
    }
}

/// Returns the length of the shortest text whose repetition `text` is, by the prefix function.
fn period(text: &[u8]) -> usize {
    let mut borders = vec![0_usize; text.len()];
    for end in 1..text.len() {
        let mut border = borders[end - 1];
        while border > 0 && text[border] != text[end] {
            border = borders[border - 1];
        }
        borders[end] = border + usize::from(text[border] == text[end]);
    }
    text.len() - borders.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Tail, period};

    #[test]
    fn the_period_is_the_length_of_the_shortest_repeated_text() {
        assert_eq!(period(b"abcabcabca"), 3);
        assert_eq!(period(b"aaaa"), 1);
        assert_eq!(period(b"abcd"), 4);
    }

    #[test]
    fn detects_a_repeated_sentence_but_not_a_long_log() {
        let repeats = |text: &dyn Fn(usize) -> String| {
            let mut tail = Tail::default();
            (0..6_000).any(|number| tail.add(&text(number)))
        };
        assert!(repeats(&|_| "I will check the pods again. ".to_owned()));
        assert!(repeats(&|number| format!(
            "Step {} of the plan: look at the pods once more.\n",
            number % 100
        )));
        assert!(!repeats(&|number| format!("10:02:{number} pod web-{number} is ready\n")));
    }
}
