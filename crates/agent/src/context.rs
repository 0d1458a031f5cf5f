//! Formats the results of finished stages for the next stage, a synthesis or a chat.
//!
//! A [`Handover`] selects what a reader gets: the analyses of stages, or the complete trails of their agents.
//! [`format_handover`] writes it as one text. Section marks are HTML comments that only this module writes.
//! Comments in the content are escaped, so content cannot end its section or imitate another one. Failures of
//! TARSy itself are not part of the investigation data: they are in a section of their own, after it. Nothing
//! is truncated here.

use tarsy_domain::{IterationStrategy, TimelineEventType, ToolStatus, WorkStatus};

use sections::SectionWriter;

mod handover;
mod notes;
mod result_id;
mod result_list;
mod sections;
mod trail;

pub use handover::{Handover, ResultAccess};
pub use result_id::ResultId;
pub use result_list::collected_results;

/// A stage whose agents have ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageResult {
    /// Name of the stage.
    pub name: String,
    /// Final status.
    pub status: WorkStatus,
    /// Why the stage was skipped or failed, if known.
    pub reason: Option<String>,
    /// Agents, in the order of the configuration.
    pub agents: Vec<AgentResult>,
    /// Result of the synthesis.
    pub synthesis: Option<String>,
}

/// The result of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentResult {
    /// Name of the agent.
    pub name: String,
    /// Model provider.
    pub provider: String,
    /// Iteration strategy.
    pub strategy: IterationStrategy,
    /// Final status.
    pub status: WorkStatus,
    /// Conclusion.
    pub analysis: Option<String>,
    /// Error, if there is no conclusion.
    pub error: Option<String>,
    /// Trail of steps.
    pub trail: Vec<TrailEntry>,
}

/// One step of an agent: a thought, a tool call or a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrailEntry {
    /// Type of the step.
    pub event_type: TimelineEventType,
    /// Text of the step.
    pub content: String,
    /// Tool of the step, `server.tool`.
    pub tool: Option<String>,
    /// Outcome of a tool call; `None` for other steps.
    pub status: Option<ToolStatus>,
    /// The recorded tool result; `None` for other steps and for calls that were not executed.
    pub result: Option<CollectedResult>,
}

/// A recorded tool result that later agents can refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectedResult {
    /// Its id within the session.
    pub id: ResultId,
    /// Arguments of the call, as JSON text.
    pub arguments: String,
    /// Size of the full text in bytes.
    pub bytes: u64,
}

/// Results as a text with marked sections. Only this module creates one, so its marks can be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormattedResults(String);

impl FormattedResults {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Formats the earlier stages for an agent with the strategy `reader`; `None` if there are none.
pub fn format_for_strategy(reader: IterationStrategy, stages: &[StageResult]) -> Option<FormattedResults> {
    let handover = Handover::for_stage(reader, stages.to_vec());
    Some(format_handover(&handover)).filter(|_| !stages.is_empty())
}

/// Formats the trails and results of all stages for a chat.
pub fn format_investigation(stages: &[StageResult]) -> FormattedResults {
    format_handover(&Handover { trails: stages.to_vec(), ..Handover::default() })
}

/// Formats what a reader gets.
pub fn format_handover(handover: &Handover) -> FormattedResults {
    let mut text = SectionWriter::default();
    if let Some(left_out) = &handover.left_out {
        text.section("SHORTENED", "to fit the context window", |text| text.content(left_out));
    }
    for stage in &handover.analyses {
        write_stage(&mut text, stage, trail::write_analyses);
    }
    for stage in &handover.trails {
        write_stage(&mut text, stage, trail::write_trails);
    }
    result_list::write(&mut text, handover);
    notes::write(&mut text, handover);
    FormattedResults(text.finish())
}

fn write_stage(
    text: &mut SectionWriter,
    stage: &StageResult,
    write_results: fn(&mut SectionWriter, &StageResult),
) {
    text.section("STAGE", &stage.name, |text| {
        text.line("Status", trail::shown_status(stage.status));
        let skipped = stage.reason.as_deref().filter(|_| stage.status == WorkStatus::Skipped);
        text.optional_line("Reason", skipped);
        write_results(text, stage);
    });
}

#[cfg(test)]
mod tests;
