//! Compares the outcome of a replay with the recorded one. Pure.

use std::fmt::{self, Display, Formatter};

use tarsy_domain::{MessageDigest, RecordedExecution, RecordedOutcome, TokenUsage};

/// The maximum length of an excerpt of a line.
const SHOWN_CHARACTERS: usize = 240;
/// The length of the common prefix that an excerpt of a longer line keeps.
const SHOWN_BEFORE: usize = 40;
/// The length of an abbreviated digest.
const DIGEST_CHARACTERS: usize = 12;

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The session or the agent that differs.
    pub scope: DifferenceScope,
    /// The name of the value.
    pub what: String,
    /// The recorded value.
    pub recorded: String,
    /// The value in the replay.
    pub replayed: String,
    /// Whether the outcome or only the conversation differs.
    pub kind: DifferenceKind,
}

/// The part of the session that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DifferenceScope {
    /// The outcome of the session.
    Session,
    /// The execution of an agent.
    Agent(String),
}

/// The kind of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The outcome differs.
    Outcome,
    /// The conversation differs, starting with this message.
    Conversation {
        /// The number of the message, from 1.
        message: usize,
    },
}

impl Display for DifferenceScope {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session => formatter.write_str("the session"),
            Self::Agent(agent) => formatter.write_str(agent),
        }
    }
}

/// Lists the differences: first those of the session, then those of each agent.
pub fn compare(recorded: &RecordedOutcome, replayed: &RecordedOutcome) -> Vec<Difference> {
    let mut comparison = Comparison { scope: DifferenceScope::Session, differences: Vec::new() };
    comparison.value("status", recorded.status.as_str(), replayed.status.as_str());
    comparison.text("error", recorded.error.as_deref(), replayed.error.as_deref());
    comparison.text("final analysis", recorded.final_analysis.as_deref(), replayed.final_analysis.as_deref());
    let summaries = [recorded, replayed].map(|outcome| outcome.executive_summary.as_deref());
    comparison.text("executive summary", summaries[0], summaries[1]);
    for one in &recorded.executions {
        comparison.scope = DifferenceScope::Agent(one.agent.clone());
        match replayed.executions.iter().find(|other| other.agent == one.agent) {
            Some(other) => comparison.execution(one, other),
            None => comparison.value("execution", "present", "missing"),
        }
    }
    for other in &replayed.executions {
        if recorded.executions.iter().all(|one| one.agent != other.agent) {
            comparison.scope = DifferenceScope::Agent(other.agent.clone());
            comparison.value("execution", "missing", "present");
        }
    }
    comparison.differences
}

/// The differences so far, and the scope of the next one.
struct Comparison {
    scope: DifferenceScope,
    differences: Vec<Difference>,
}

impl Comparison {
    fn execution(&mut self, recorded: &RecordedExecution, replayed: &RecordedExecution) {
        self.value("status", recorded.status.as_str(), replayed.status.as_str());
        self.text("error", recorded.error.as_deref(), replayed.error.as_deref());
        self.value("model calls", &recorded.model_calls.to_string(), &replayed.model_calls.to_string());
        self.value("tool calls", &recorded.tool_calls.to_string(), &replayed.tool_calls.to_string());
        self.value("tokens", &tokens(recorded.usage), &tokens(replayed.usage));
        self.conversation(&recorded.messages, &replayed.messages);
    }

    fn value(&mut self, what: &str, recorded: &str, replayed: &str) {
        if recorded != replayed {
            self.add(what, recorded.to_owned(), replayed.to_owned(), DifferenceKind::Outcome);
        }
    }

    fn text(&mut self, what: &str, recorded: Option<&str>, replayed: Option<&str>) {
        if recorded != replayed {
            let (recorded, replayed) = first_difference(recorded, replayed);
            self.add(what, recorded, replayed, DifferenceKind::Outcome);
        }
    }

    fn conversation(&mut self, recorded: &[MessageDigest], replayed: &[MessageDigest]) {
        let longest = recorded.len().max(replayed.len());
        if let Some(index) = (0..longest).find(|index| recorded.get(*index) != replayed.get(*index)) {
            let message = index + 1;
            let what = format!("message {message} of {}", recorded.len());
            let (recorded, replayed) = (abbreviated(recorded.get(index)), abbreviated(replayed.get(index)));
            self.add(&what, recorded, replayed, DifferenceKind::Conversation { message });
        }
    }

    fn add(&mut self, what: &str, recorded: String, replayed: String, kind: DifferenceKind) {
        let what = what.to_owned();
        self.differences.push(Difference { scope: self.scope.clone(), what, recorded, replayed, kind });
    }
}

fn tokens(usage: TokenUsage) -> String {
    let TokenUsage { input_tokens, output_tokens, thinking_tokens, cached_tokens } = usage;
    format!("{input_tokens} in ({cached_tokens} cached), {output_tokens} out ({thinking_tokens} thinking)")
}

fn abbreviated(message: Option<&MessageDigest>) -> String {
    message.map_or_else(
        || "none".to_owned(),
        |message| {
            let digest: String = message.sha256.chars().take(DIGEST_CHARACTERS).collect();
            format!("{} {digest}", message.role)
        },
    )
}

/// Returns the first line that differs, from each text.
fn first_difference(recorded: Option<&str>, replayed: Option<&str>) -> (String, String) {
    let lines = |text: Option<&str>| text.map(|text| text.split('\n').map(str::to_owned).collect::<Vec<_>>());
    let (recorded, replayed) = (lines(recorded), lines(replayed));
    let longest = recorded.iter().chain(&replayed).map(Vec::len).max().unwrap_or_default();
    let line =
        |text: &Option<Vec<String>>, index: usize| text.as_ref().and_then(|text| text.get(index).cloned());
    let index =
        (0..longest).find(|index| line(&recorded, *index) != line(&replayed, *index)).unwrap_or_default();
    let lines = [line(&recorded, index), line(&replayed, index)];
    let common = match &lines {
        [Some(one), Some(other)] => {
            one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
        }
        [Some(_) | None, None] | [None, Some(_)] => 0,
    };
    let shown = |text: &Option<Vec<String>>| match (text, line(text, index)) {
        (None, _) => "none".to_owned(),
        (Some(lines), None) => format!("ends after line {}", lines.len()),
        (Some(_), Some(line)) => format!("line {}: {}", index + 1, excerpt(&line, common)),
    };
    (shown(&recorded), shown(&replayed))
}

/// Returns an excerpt of a line that contains the character at `index`.
fn excerpt(line: &str, index: usize) -> String {
    let from = if index < SHOWN_CHARACTERS { 0 } else { index - SHOWN_BEFORE };
    let before = if from > 0 { "…" } else { "" };
    let shown: String = line.chars().skip(from).take(SHOWN_CHARACTERS).collect();
    let after = if line.chars().count() > from + SHOWN_CHARACTERS { "…" } else { "" };
    format!("{before}{shown}{after}")
}

#[cfg(test)]
mod tests;
