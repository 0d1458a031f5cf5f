//! The report of a replay.

use std::fmt::{Display, Formatter, Result};

use tarsy_domain::RecordedExecution;
use tarsy_replay::{Difference, DifferenceKind, DifferenceScope, Recording};

use super::rerun::Rerun;
use crate::terminal::single_line;

/// The maximum length of an excerpt of a message.
const SHOWN_CHARACTERS: usize = 160;

/// What must be equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strictness {
    /// The outcome.
    Outcome,
    /// The outcome and every message.
    Exact,
}

/// The comparison of a replay with its recording.
pub(super) struct ReplayReport<'a> {
    pub(super) recording: &'a Recording,
    pub(super) rerun: &'a Rerun,
    pub(super) differences: Vec<Difference>,
    pub(super) strictness: Strictness,
}

impl ReplayReport<'_> {
    /// Returns whether the replay equals the recording.
    pub(super) fn is_equal(&self) -> bool {
        match self.strictness {
            Strictness::Outcome => self.count(is_outcome) == 0,
            Strictness::Exact => self.differences.is_empty(),
        }
    }

    fn count(&self, predicate: fn(&Difference) -> bool) -> usize {
        self.filtered(predicate).len()
    }

    /// Returns the executions that are in the replay and not in the recording.
    fn additional_executions(&self) -> impl Iterator<Item = &RecordedExecution> {
        let recorded = &self.recording.session.outcome.executions;
        let replayed = self.rerun.outcome.executions.iter();
        replayed.filter(|one| recorded.iter().all(|known| known.agent != one.agent))
    }

    /// Writes a line with its marker, followed by its differences.
    fn line(
        &self,
        formatter: &mut Formatter<'_>,
        name: &str,
        value: &str,
        differences: &[&Difference],
    ) -> Result {
        let width = self.width();
        writeln!(formatter, "{} {name:<width$}  {value}", marker(differences))?;
        for one in differences {
            writeln!(
                formatter,
                "    {}\n      recorded: {}\n      replayed: {}",
                one.what, one.recorded, one.replayed
            )?;
            if let Some(text) = self.replayed_text(one) {
                writeln!(formatter, "      text:     {text}")?;
            }
        }
        Ok(())
    }

    fn width(&self) -> usize {
        let agents = self.recording.session.outcome.executions.iter().chain(self.additional_executions());
        agents.map(|one| one.agent.chars().count()).max().unwrap_or_default().max("executive summary".len())
    }

    /// Returns the replayed text of the message that differs.
    fn replayed_text(&self, difference: &Difference) -> Option<String> {
        let (DifferenceScope::Agent(agent), DifferenceKind::Conversation { message }) =
            (&difference.scope, difference.kind)
        else {
            return None;
        };
        let message = self.rerun.conversations.get(agent)?.get(message.checked_sub(1)?)?;
        Some(single_line(&message.content, SHOWN_CHARACTERS))
    }

    fn agents(&self, formatter: &mut Formatter<'_>) -> Result {
        for one in self.recording.session.outcome.executions.iter().chain(self.additional_executions()) {
            let scope = DifferenceScope::Agent(one.agent.clone());
            let differences = self.filtered(|other| other.scope == scope);
            let calls = [(one.model_calls, "model call"), (one.tool_calls, "tool call")].into_iter();
            let calls = calls.filter(|(count, _)| *count > 0).map(|(count, what)| counted(count, what));
            let values: Vec<String> = std::iter::once(one.status.to_string()).chain(calls).collect();
            self.line(formatter, &one.agent, &values.join(", "), &differences)?;
        }
        Ok(())
    }

    fn session(&self, formatter: &mut Formatter<'_>) -> Result {
        let outcome = &self.recording.session.outcome;
        let length = |text: &Option<String>| {
            text.as_ref().map_or_else(|| "none".to_owned(), |text| counted(text.chars().count(), "character"))
        };
        let error = outcome.error.iter().map(|error| format!(": {}", single_line(error, SHOWN_CHARACTERS)));
        let status = outcome.status.to_string() + &error.collect::<String>();
        let lines: [(&str, String, &[&str]); 3] = [
            ("status", status, &["status", "error"]),
            ("final analysis", length(&outcome.final_analysis), &["final analysis"]),
            ("executive summary", length(&outcome.executive_summary), &["executive summary"]),
        ];
        for (name, value, about) in lines {
            let is_about = |one: &Difference| about.contains(&one.what.as_str());
            let differences = self.filtered(|one| one.scope == DifferenceScope::Session && is_about(one));
            self.line(formatter, name, &value, &differences)?;
        }
        Ok(())
    }

    fn filtered(&self, predicate: impl Fn(&Difference) -> bool) -> Vec<&Difference> {
        self.differences.iter().filter(|one| predicate(one)).collect()
    }

    fn verdict(&self) -> String {
        let outcome = self.count(is_outcome);
        let conversations = self.differences.len() - outcome;
        match (outcome, conversations, self.strictness) {
            (0, 0, _) => "The replay is identical: the outcome and every message are equal.".to_owned(),
            (0, conversations, Strictness::Outcome) => format!(
                "The outcome is equal. Different messages in {}; use --exact to fail on that.",
                counted(conversations, "conversation")
            ),
            (0, conversations, Strictness::Exact) => {
                format!(
                    "The outcome is equal. Different messages in {}.",
                    counted(conversations, "conversation")
                )
            }
            (outcome, _, _) => format!("The outcome differs: {}.", counted(outcome, "difference")),
        }
    }
}

impl Display for ReplayReport<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        let session = &self.recording.session;
        let description = &self.recording.cassette.description;
        if description.is_empty() {
            writeln!(formatter, "Replay of a session of a {} alert\n", session.alert_type)?;
        } else {
            writeln!(formatter, "Replay of: {description}\n")?;
        }
        self.agents(formatter)?;
        self.session(formatter)?;
        writeln!(formatter, "\n{}", self.verdict())?;
        match session.questions {
            0 => Ok(()),
            1 => writeln!(formatter, "The chat question was not replayed."),
            questions => writeln!(formatter, "The {questions} chat questions were not replayed."),
        }
    }
}

fn is_outcome(difference: &Difference) -> bool {
    difference.kind == DifferenceKind::Outcome
}

/// Returns `=` if nothing differs, `~` if only the conversation differs, and `!` if the outcome differs.
fn marker(differences: &[&Difference]) -> char {
    match differences {
        [] => '=',
        some if some.iter().any(|one| is_outcome(one)) => '!',
        _ => '~',
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests;
