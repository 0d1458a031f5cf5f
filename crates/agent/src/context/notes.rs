//! The operational notes: problems of TARSy itself, which are not evidence about the investigated system.

use tarsy_domain::{TimelineEventType, WorkStatus};

use super::handover::Handover;
use super::sections::SectionWriter;
use super::{AgentResult, StageResult};
use crate::escape::short_line;

const EXPLANATION: &str = "These are problems of TARSy, the tool that investigates, and not of the investigated \
     system. They are not evidence for or against any cause. They only say what was not looked at.";
const NO_DATA: &str = "What is concluded from this rests on the text of the alert alone. Say so in the first \
     sentence of your answer, and do not present assumptions as findings.";

/// Maximum number of characters of one note.
const MAX_NOTE: usize = 400;
/// Maximum number of notes.
const MAX_NOTES: usize = 30;

/// Writes the notes, if there are any.
pub(super) fn write(text: &mut SectionWriter, handover: &Handover) {
    let notes: Vec<String> = handover.stages().flat_map(notes_of_stage).collect();
    if notes.is_empty() && handover.no_data.is_none() {
        return;
    }
    text.section("OPERATIONAL NOTES", "about TARSy itself", |text| {
        text.content(EXPLANATION);
        for note in notes.iter().take(MAX_NOTES) {
            text.item(&short_line(note, MAX_NOTE));
        }
        if notes.len() > MAX_NOTES {
            text.item(&format!("{} more problems", notes.len() - MAX_NOTES));
        }
        if let Some(reason) = &handover.no_data {
            let reason = short_line(reason, MAX_NOTE);
            text.paragraph(&format!(
                "No data was collected: none of the agents got a result from a tool so far ({reason}). {NO_DATA}"
            ));
        }
    });
}

fn notes_of_stage(stage: &StageResult) -> Vec<String> {
    let mut notes: Vec<String> = stage.agents.iter().flat_map(|agent| notes_of_agent(stage, agent)).collect();
    let reason = stage.reason.as_deref().filter(|_| stage.status != WorkStatus::Skipped);
    // The reason of a stage often repeats the error of its agent.
    let is_known = |reason: &&str| {
        stage.agents.iter().any(|agent| agent.error.as_deref().is_some_and(|error| reason.contains(error)))
    };
    if let Some(reason) = reason.filter(|reason| !is_known(reason)) {
        notes.push(format!("Stage {} {}: {reason}", stage.name, verb(stage.status)));
    }
    notes
}

fn notes_of_agent(stage: &StageResult, agent: &AgentResult) -> Vec<String> {
    let name = format!("Agent {} of stage {}", agent.name, stage.name);
    let warnings = agent.trail.iter().filter(|entry| entry.event_type == TimelineEventType::Warning);
    let mut notes: Vec<String> = warnings.map(|entry| format!("{name}: {}", entry.content)).collect();
    notes.dedup();
    match &agent.error {
        Some(error) => notes.push(format!("{name} {}: {error}", verb(agent.status))),
        None if has_no_result(agent.status) => notes.push(format!("{name} {}", verb(agent.status))),
        None => {}
    }
    notes
}

fn has_no_result(status: WorkStatus) -> bool {
    match status {
        WorkStatus::Failed | WorkStatus::TimedOut | WorkStatus::Cancelled => true,
        WorkStatus::Pending | WorkStatus::Active | WorkStatus::Completed | WorkStatus::Skipped => false,
    }
}

fn verb(status: WorkStatus) -> &'static str {
    match status {
        WorkStatus::Completed => "was cut short",
        WorkStatus::TimedOut => "ran out of time",
        WorkStatus::Cancelled => "was cancelled",
        WorkStatus::Failed | WorkStatus::Pending | WorkStatus::Active | WorkStatus::Skipped => "failed",
    }
}
