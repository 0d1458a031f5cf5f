//! A recorded answer in a chat.
//!
//! A cassette cannot know which questions a user will ask, so an answer is selected by keywords.

use serde::{Deserialize, Serialize};

use super::turn::CassetteTurn;

/// The model calls that answer a chat question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CassetteQuestion {
    /// Keywords, of which the question must contain at least one; without keywords, any question matches. A keyword
    /// matches the beginning of a word, case-insensitively: `restart` matches "Why does it keep restarting?".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The model calls of the answer, in order.
    pub turns: Vec<CassetteTurn>,
}

impl CassetteQuestion {
    /// Returns whether this entry answers a question.
    pub fn matches(&self, question: &str) -> bool {
        let question = normalize(question);
        self.words.is_empty() || self.words.iter().any(|keyword| question.contains(&normalize(keyword)))
    }
}

/// Returns the text in lower case with one space before each word and without punctuation.
fn normalize(text: &str) -> String {
    let text = text.to_lowercase();
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(String::new(), |normalized, word| normalized + " " + word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_match_the_beginnings_of_words() {
        let question = CassetteQuestion {
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
        for (text, expected) in cases {
            assert_eq!(question.matches(text), expected, "{text}");
        }
    }

    #[test]
    fn any_question_matches_without_keywords() {
        assert!(CassetteQuestion::default().matches("What is the meaning of life?"));
    }
}
