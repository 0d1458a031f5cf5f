//! What a replay came to, for people.

use std::fmt::{Display, Formatter, Result};

use tarsy_replay::{Difference, ExecutionOutcome, Place, Recording, Weight};

use super::rerun::Rerun;
use crate::terminal::line_of;

/// How much of a message is shown.
const SHOWN_CHARACTERS: usize = 160;

/// What must be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strictness {
    /// What it came to.
    Outcome,
    /// All that was said, too.
    EveryWord,
}

/// What a replay came to.
pub(super) struct Report<'a> {
    pub(super) recording: &'a Recording,
    pub(super) rerun: &'a Rerun,
    pub(super) differences: Vec<Difference>,
    pub(super) strictness: Strictness,
}

impl Report<'_> {
    /// Whether it came to the same, as strictly as that was asked.
    pub(super) fn is_same(&self) -> bool {
        match self.strictness {
            Strictness::Outcome => self.count(is_of_outcome) == 0,
            Strictness::EveryWord => self.differences.is_empty(),
        }
    }

    fn count(&self, is_meant: fn(&Difference) -> bool) -> usize {
        self.found(is_meant).len()
    }

    /// The names of the agents that worked now and not then.
    fn newcomers(&self) -> impl Iterator<Item = &ExecutionOutcome> {
        let recorded = &self.recording.session.outcome.executions;
        let now = self.rerun.outcome.executions.iter();
        now.filter(|one| recorded.iter().all(|known| known.agent != one.agent))
    }

    /// A line with its mark, and below it everything that differs there.
    fn line(&self, formatter: &mut Formatter<'_>, name: &str, value: &str, found: &[&Difference]) -> Result {
        let width = self.width();
        writeln!(formatter, "{} {name:<width$}  {value}", mark(found))?;
        for one in found {
            writeln!(
                formatter,
                "    {}\n      recorded: {}\n      now:      {}",
                one.what, one.recorded, one.now
            )?;
            if let Some(said) = self.said_now(one) {
                writeln!(formatter, "      it says:  {said}")?;
            }
        }
        Ok(())
    }

    fn width(&self) -> usize {
        let agents = self.recording.session.outcome.executions.iter().chain(self.newcomers());
        agents.map(|one| one.agent.chars().count()).max().unwrap_or_default().max("executive summary".len())
    }

    /// What a message that is another one now says.
    fn said_now(&self, difference: &Difference) -> Option<String> {
        let (Place::Agent(agent), Weight::Conversation { message }) = (&difference.place, difference.weight)
        else {
            return None;
        };
        let message = self.rerun.conversations.get(agent)?.get(message.checked_sub(1)?)?;
        Some(line_of(&message.content, SHOWN_CHARACTERS))
    }

    fn agents(&self, formatter: &mut Formatter<'_>) -> Result {
        for one in self.recording.session.outcome.executions.iter().chain(self.newcomers()) {
            let place = Place::Agent(one.agent.clone());
            let found = self.found(|other| other.place == place);
            let calls = [(one.model_calls, "model call"), (one.tool_calls, "tool call")].into_iter();
            let calls = calls.filter(|(count, _)| *count > 0).map(|(count, what)| counted(count, what));
            let values: Vec<String> = std::iter::once(one.status.to_string()).chain(calls).collect();
            self.line(formatter, &one.agent, &values.join(", "), &found)?;
        }
        Ok(())
    }

    fn session(&self, formatter: &mut Formatter<'_>) -> Result {
        let outcome = &self.recording.session.outcome;
        let length = |text: &Option<String>| {
            text.as_ref().map_or_else(|| "none".to_owned(), |text| counted(text.chars().count(), "character"))
        };
        let error = outcome.error.iter().map(|error| format!(": {}", line_of(error, SHOWN_CHARACTERS)));
        let status = outcome.status.to_string() + &error.collect::<String>();
        let lines: [(&str, String, &[&str]); 3] = [
            ("status", status, &["status", "error"]),
            ("final analysis", length(&outcome.final_analysis), &["final analysis"]),
            ("executive summary", length(&outcome.executive_summary), &["executive summary"]),
        ];
        for (name, value, about) in lines {
            let found = self.found(|one| one.place == Place::Session && about.contains(&one.what.as_str()));
            self.line(formatter, name, &value, &found)?;
        }
        Ok(())
    }

    fn found(&self, is_meant: impl Fn(&Difference) -> bool) -> Vec<&Difference> {
        self.differences.iter().filter(|one| is_meant(one)).collect()
    }

    fn verdict(&self) -> String {
        let outcome = self.count(is_of_outcome);
        let said = self.differences.len() - outcome;
        match (outcome, said, self.strictness) {
            (0, 0, _) => "It came to the same, and every word on the way was the same.".to_owned(),
            (0, said, Strictness::Outcome) => format!(
                "It came to the same. Not everything on the way was the same: {}. With --exact that counts.",
                counted(said, "conversation")
            ),
            (0, said, Strictness::EveryWord) => format!(
                "It came to the same, but not everything on the way was the same: {}.",
                counted(said, "conversation")
            ),
            (outcome, _, _) => format!("It did not come to the same: {}.", counted(outcome, "difference")),
        }
    }
}

impl Display for Report<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        let session = &self.recording.session;
        let description = &self.recording.cassette.description;
        if description.is_empty() {
            writeln!(formatter, "A session of a {} alert, run again\n", session.alert_type)?;
        } else {
            writeln!(formatter, "{description}, run again\n")?;
        }
        self.agents(formatter)?;
        self.session(formatter)?;
        writeln!(formatter, "\n{}", self.verdict())?;
        match session.questions {
            0 => Ok(()),
            1 => writeln!(formatter, "The question of the chat was not asked again."),
            questions => writeln!(formatter, "The {questions} questions of the chat were not asked again."),
        }
    }
}

fn is_of_outcome(difference: &Difference) -> bool {
    difference.weight == Weight::Outcome
}

/// `=` for the same, `~` for the same by other words, `!` for something else.
fn mark(found: &[&Difference]) -> char {
    match found {
        [] => '=',
        found if found.iter().any(|one| is_of_outcome(one)) => '!',
        _ => '~',
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests;
