//! A question that a cassette has an answer to.
//!
//! A recording cannot know what will be asked, so it listens for words. It understands nothing.

use serde::{Deserialize, Serialize};

use super::file::CassetteTurn;

/// An answer, and the words of the questions it answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CassetteQuestion {
    /// A question with any of these in it is answered; without them, any question is. A word here is the beginning of a
    /// word there: `restart` is in "Why does it keep restarting?".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The model calls that it takes, in order.
    pub turns: Vec<CassetteTurn>,
}

impl CassetteQuestion {
    /// Whether this answers a question.
    pub(crate) fn fits(&self, question: &str) -> bool {
        let question = plain(question);
        self.words.is_empty() || self.words.iter().any(|words| question.contains(&plain(words)))
    }
}

/// The words of a text in small letters, with one blank before each.
fn plain(text: &str) -> String {
    let text = text.to_lowercase();
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(String::new(), |plain, word| plain + " " + word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_known_by_the_beginnings_of_its_words() {
        let known = CassetteQuestion {
            words: vec!["restart".to_owned(), "roll back".to_owned()],
            ..CassetteQuestion::default()
        };
        let cases = [
            ("Why does it keep Restarting?", true),
            ("Should I roll-back now?", true),
            ("Is a prerestart planned?", false),
            ("Can we roll forward and look back?", false),
            ("", false),
        ];
        for (question, fits) in cases {
            assert_eq!(known.fits(question), fits, "{question}");
        }
    }

    #[test]
    fn without_words_any_question_fits() {
        assert!(CassetteQuestion::default().fits("What is the meaning of life?"));
    }
}
