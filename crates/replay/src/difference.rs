//! In what an outcome differs from the recorded one. Pure.

use std::fmt::{self, Display, Formatter};

use tarsy_domain::TokenUsage;

use crate::outcome::{ExecutionOutcome, MessageMark, Outcome};

/// How much of a text is shown.
const SHOWN_CHARACTERS: usize = 240;
/// How much of that comes before what differs, in a text that is longer.
const SHOWN_BEFORE: usize = 40;
/// How much of a digest tells it from others.
const DIGEST_CHARACTERS: usize = 12;

/// One thing that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where.
    pub place: Place,
    /// What.
    pub what: String,
    /// What is recorded.
    pub recorded: String,
    /// What it is now.
    pub now: String,
    /// How much it matters.
    pub weight: Weight,
}

/// Where something differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In what the session came to.
    Session,
    /// In what an agent came to.
    Agent(String),
}

/// How much a difference matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// It came to something else.
    Outcome,
    /// It came to the same by other words; this message, from 1, is the first that is not the same.
    Conversation {
        /// The number of the message.
        message: usize,
    },
}

impl Display for Place {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session => formatter.write_str("the session"),
            Self::Agent(agent) => formatter.write_str(agent),
        }
    }
}

/// Everything that is not as it was: first what the session came to, then agent by agent.
pub fn compare(recorded: &Outcome, now: &Outcome) -> Vec<Difference> {
    let mut found = Found { place: Place::Session, differences: Vec::new() };
    found.word("status", recorded.status.as_str(), now.status.as_str());
    found.text("error", recorded.error.as_deref(), now.error.as_deref());
    found.text("final analysis", recorded.final_analysis.as_deref(), now.final_analysis.as_deref());
    found.text("executive summary", recorded.executive_summary.as_deref(), now.executive_summary.as_deref());
    for one in &recorded.executions {
        found.place = Place::Agent(one.agent.clone());
        match now.executions.iter().find(|other| other.agent == one.agent) {
            Some(other) => found.execution(one, other),
            None => found.word("whether it worked", "it did", "it did not"),
        }
    }
    for other in &now.executions {
        if recorded.executions.iter().all(|one| one.agent != other.agent) {
            found.place = Place::Agent(other.agent.clone());
            found.word("whether it worked", "it did not", "it did");
        }
    }
    found.differences
}

/// The differences so far, and where the next one is looked for.
struct Found {
    place: Place,
    differences: Vec<Difference>,
}

impl Found {
    fn execution(&mut self, recorded: &ExecutionOutcome, now: &ExecutionOutcome) {
        self.word("status", recorded.status.as_str(), now.status.as_str());
        self.text("error", recorded.error.as_deref(), now.error.as_deref());
        self.word("model calls", &recorded.model_calls.to_string(), &now.model_calls.to_string());
        self.word("tool calls", &recorded.tool_calls.to_string(), &now.tool_calls.to_string());
        self.word("tokens", &tokens(recorded.usage), &tokens(now.usage));
        self.conversation(&recorded.messages, &now.messages);
    }

    fn word(&mut self, what: &str, recorded: &str, now: &str) {
        if recorded != now {
            self.add(what, recorded.to_owned(), now.to_owned(), Weight::Outcome);
        }
    }

    fn text(&mut self, what: &str, recorded: Option<&str>, now: Option<&str>) {
        if recorded != now {
            let (recorded, now) = first_difference(recorded, now);
            self.add(what, recorded, now, Weight::Outcome);
        }
    }

    fn conversation(&mut self, recorded: &[MessageMark], now: &[MessageMark]) {
        let longest = recorded.len().max(now.len());
        if let Some(index) = (0..longest).find(|index| recorded.get(*index) != now.get(*index)) {
            let message = index + 1;
            let what = format!("message {message} of {}", recorded.len());
            let (recorded, now) = (marked(recorded.get(index)), marked(now.get(index)));
            self.add(&what, recorded, now, Weight::Conversation { message });
        }
    }

    fn add(&mut self, what: &str, recorded: String, now: String, weight: Weight) {
        let what = what.to_owned();
        self.differences.push(Difference { place: self.place.clone(), what, recorded, now, weight });
    }
}

fn tokens(usage: TokenUsage) -> String {
    let TokenUsage { input_tokens, output_tokens, thinking_tokens, cached_tokens } = usage;
    format!("{input_tokens} in ({cached_tokens} cached), {output_tokens} out ({thinking_tokens} thinking)")
}

fn marked(message: Option<&MessageMark>) -> String {
    message.map_or_else(
        || "none".to_owned(),
        |message| {
            let digest: String = message.sha256.chars().take(DIGEST_CHARACTERS).collect();
            format!("{} {digest}", message.role)
        },
    )
}

/// Two texts that differ, as far as it takes to see in what.
fn first_difference(recorded: Option<&str>, now: Option<&str>) -> (String, String) {
    let lines = |text: Option<&str>| text.map(|text| text.split('\n').map(str::to_owned).collect::<Vec<_>>());
    let (recorded, now) = (lines(recorded), lines(now));
    let longest = recorded.iter().chain(&now).map(Vec::len).max().unwrap_or_default();
    let line =
        |text: &Option<Vec<String>>, index: usize| text.as_ref().and_then(|text| text.get(index).cloned());
    let index = (0..longest).find(|index| line(&recorded, *index) != line(&now, *index)).unwrap_or_default();
    let lines = [line(&recorded, index), line(&now, index)];
    let same = match &lines {
        [Some(one), Some(other)] => {
            one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
        }
        [Some(_) | None, None] | [None, Some(_)] => 0,
    };
    let shown = |text: &Option<Vec<String>>| match (text, line(text, index)) {
        (None, _) => "none".to_owned(),
        (Some(lines), None) => format!("ends after line {}", lines.len()),
        (Some(_), Some(line)) => format!("line {}: {}", index + 1, excerpt(&line, same)),
    };
    (shown(&recorded), shown(&now))
}

/// What can be shown of a line, with this character in it.
fn excerpt(line: &str, of: usize) -> String {
    let from = if of < SHOWN_CHARACTERS { 0 } else { of - SHOWN_BEFORE };
    let before = if from > 0 { "…" } else { "" };
    let shown: String = line.chars().skip(from).take(SHOWN_CHARACTERS).collect();
    let after = if line.chars().count() > from + SHOWN_CHARACTERS { "…" } else { "" };
    format!("{before}{shown}{after}")
}

#[cfg(test)]
mod tests;
