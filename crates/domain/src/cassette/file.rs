//! A cassette file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::question::CassetteQuestion;
use super::turn::CassetteTurn;

/// Recorded replies of models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Cassette {
    /// The version of the format.
    pub cassette: u32,
    /// A description for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The speed at which text is streamed at the recorded pace. Without it, a text is sent as one chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub characters_per_second: Option<u32>,
    /// The turns of each agent. The key is `stage/agent`, `agent`, or `*` for every other agent.
    pub agents: BTreeMap<String, Vec<CassetteTurn>>,
    /// Replies to chat questions, selected by keywords. The first match is used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<CassetteQuestion>,
    /// The session that the replies were recorded from.
    // It stays JSON here, so that a cassette can be played even if its session cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = super::session::RecordedSession, required = true))]
    pub session: Option<Value>,
}

impl Cassette {
    /// The version of the format that this program reads and writes.
    pub const VERSION: u32 = 1;

    /// Creates a cassette without replies.
    pub fn new(description: &str) -> Self {
        Self {
            cassette: Self::VERSION,
            description: description.to_owned(),
            characters_per_second: None,
            agents: BTreeMap::new(),
            questions: Vec::new(),
            session: None,
        }
    }

    /// Checks what deserialization cannot: the version, and the contents of each turn.
    pub fn check(&self) -> Result<(), String> {
        if self.cassette != Self::VERSION {
            return Err(format!(
                "version {} is not supported; this program reads version {}",
                self.cassette,
                Self::VERSION
            ));
        }
        for (agent, turns) in &self.agents {
            check_turns(turns, agent)?;
        }
        for (number, question) in (1..).zip(&self.questions) {
            check_turns(&question.turns, &format!("question {number}"))?;
        }
        Ok(())
    }

    /// Removes all pauses, so that the cassette plays without waiting.
    #[must_use]
    pub fn without_pauses(mut self) -> Self {
        self.characters_per_second = None;
        let question_turns = self.questions.iter_mut().map(|question| &mut question.turns);
        for turn in self.agents.values_mut().chain(question_turns).flatten() {
            turn.chunks.iter_mut().for_each(|chunk| chunk.after_ms = 0);
            turn.error.iter_mut().for_each(|failure| failure.after_ms = 0);
        }
        self
    }
}

fn check_turns(turns: &[CassetteTurn], owner: &str) -> Result<(), String> {
    (1..).zip(turns).try_for_each(|(number, turn): (u32, _)| {
        turn.check().map_err(|problem| format!("turn {number} of {owner}: {problem}"))
    })
}
