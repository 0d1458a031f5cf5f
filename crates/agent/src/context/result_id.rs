//! The id of a tool result within a session, such as `s1.a2.r3`.
//!
//! It is derived from the record, so it is the same after a restart and in a replay. An agent refers to its
//! own results without the prefix, as `r3`.

use std::fmt;
use std::str::FromStr;

/// The id of a tool result of an agent in a stage. All numbers start at 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResultId {
    /// Number of the stage in its chain.
    pub stage: u64,
    /// Number of the agent in its stage.
    pub agent: u64,
    /// Number of the result within the execution of the agent.
    pub number: u32,
}

/// A text that is not the id of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidResultId;

impl fmt::Display for ResultId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "s{}.a{}.r{}", self.stage, self.agent, self.number)
    }
}

impl FromStr for ResultId {
    type Err = InvalidResultId;

    /// Parses an id as models write it: in any case, with quotes or backticks around it.
    fn from_str(text: &str) -> Result<Self, InvalidResultId> {
        let text = text.trim_matches(|character: char| !character.is_ascii_alphanumeric());
        let text = text.to_ascii_lowercase();
        let mut parts = text.split('.');
        let id = Self {
            stage: number(parts.next(), 's')?,
            agent: number(parts.next(), 'a')?,
            number: u32::try_from(number(parts.next(), 'r')?).map_err(|_| InvalidResultId)?,
        };
        if parts.next().is_some() { Err(InvalidResultId) } else { Ok(id) }
    }
}

fn number(part: Option<&str>, prefix: char) -> Result<u64, InvalidResultId> {
    let digits = part.and_then(|part| part.strip_prefix(prefix)).ok_or(InvalidResultId)?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { digits.parse().map_err(|_| InvalidResultId) } else { Err(InvalidResultId) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_what_it_writes_and_what_models_write() {
        let id = ResultId { stage: 1, agent: 2, number: 30 };
        assert_eq!(id.to_string(), "s1.a2.r30");
        for text in ["s1.a2.r30", " `s1.a2.r30`", "\"S1.A2.R30\"", "[s1.a2.r30]."] {
            assert_eq!(text.parse(), Ok(id), "{text}");
        }
        for text in
            ["", "r30", "s1.r30", "s1.a2.r", "s1.a2.r-1", "s1.a2.r30.x", "a1.s2.r3", "s1.a2.r99999999999"]
        {
            assert_eq!(text.parse::<ResultId>(), Err(InvalidResultId), "{text}");
        }
    }
}
