//! What finished work hands on: to the next stage, to a synthesis, to a chat.
//!
//! What a reader gets depends on how it works ([`format_for_strategy`]): a stage that goes on gets final analyses, a synthesis
//! gets every agent's whole trail. Boundaries are HTML comments that only this file writes: such comments in the
//! content are escaped, so nothing inside can end its part or pose as another. Nothing is shortened here.

use tarsy_domain::{IterationStrategy, TimelineEventType, WorkStatus};

use sections::SectionWriter;

mod sections;

/// A stage that has ended, or whose agents have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageResult {
    /// Its name.
    pub name: String,
    /// How it ended.
    pub status: WorkStatus,
    /// Why it was skipped or failed as a whole, if that is known.
    pub reason: Option<String>,
    /// Its agents, in the order of the configuration.
    pub agents: Vec<AgentResult>,
    /// What the synthesis made of their results.
    pub synthesis: Option<String>,
}

/// What became of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentResult {
    /// Its name.
    pub name: String,
    /// The model provider it worked with.
    pub provider: String,
    /// How it worked.
    pub strategy: IterationStrategy,
    /// How it ended.
    pub status: WorkStatus,
    /// Its conclusion.
    pub analysis: Option<String>,
    /// Why it has none.
    pub error: Option<String>,
    /// What it did, step by step.
    pub trail: Vec<TrailEntry>,
}

/// One thing that an agent thought, did or saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrailEntry {
    /// What it is.
    pub event_type: TimelineEventType,
    /// Its text.
    pub content: String,
    /// The tool it is about, `server.tool`.
    pub tool: Option<String>,
}

/// Finished work as a text with marked boundaries. Only this file makes one, so its marks can be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormattedResults(String);

impl FormattedResults {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What an agent that works by `reader` is given of the stages before it; nothing if there are none.
///
/// A synthesis is given the one stage whose agents it merges.
pub fn format_for_strategy(reader: IterationStrategy, stages: &[StageResult]) -> Option<FormattedResults> {
    let handed_on = match reader {
        IterationStrategy::Synthesis | IterationStrategy::SynthesisNativeThinking => {
            format_investigation(stages)
        }
        IterationStrategy::React
        | IterationStrategy::ReactStage
        | IterationStrategy::ReactFinalAnalysis
        | IterationStrategy::NativeThinking
        | IterationStrategy::SingleCall => format_earlier_stages(stages),
    };
    Some(handed_on).filter(|_| !stages.is_empty())
}

/// The results of stages, for those that go on from them.
pub fn format_earlier_stages(stages: &[StageResult]) -> FormattedResults {
    format_stages(stages, write_analyses)
}

/// Everything that the agents of one stage did and found, for the synthesis of their results.
pub fn format_for_synthesis(stage: &StageResult) -> FormattedResults {
    format_investigation(std::slice::from_ref(stage))
}

/// Everything that happened in all stages, for a chat about it.
pub fn format_investigation(stages: &[StageResult]) -> FormattedResults {
    format_stages(stages, write_trails)
}

fn format_stages(
    stages: &[StageResult],
    write_results: fn(&mut SectionWriter, &StageResult),
) -> FormattedResults {
    let mut text = SectionWriter::default();
    for stage in stages {
        text.part("STAGE", &stage.name, |text| {
            text.line("Status", stage.status.as_str());
            text.optional_line("Reason", stage.reason.as_deref());
            write_results(text, stage);
        });
    }
    FormattedResults(text.finish())
}

/// The synthesis of a stage, or else each agent's analysis, and always who has none and why.
fn write_analyses(text: &mut SectionWriter, stage: &StageResult) {
    for agent in &stage.agents {
        let failure = agent.error.as_deref().map(|error| format!("{}: {error}", agent.status));
        text.line(&format!("Agent {}", agent.name), &failure.unwrap_or_else(|| agent.status.to_string()));
    }
    if let Some(synthesis) = &stage.synthesis {
        return text.part("ANALYSIS", "synthesis of all agents", |text| text.content(synthesis));
    }
    for agent in &stage.agents {
        if let Some(analysis) = &agent.analysis {
            text.part("ANALYSIS", &agent.name, |text| text.content(analysis));
        }
    }
}

/// Each agent with its whole trail, then the synthesis.
fn write_trails(text: &mut SectionWriter, stage: &StageResult) {
    for agent in &stage.agents {
        text.part("AGENT", &agent.name, |text| write_agent(text, agent));
    }
    if let Some(synthesis) = &stage.synthesis {
        text.part("ANALYSIS", "synthesis of all agents", |text| text.content(synthesis));
    }
}

fn write_agent(text: &mut SectionWriter, agent: &AgentResult) {
    text.line("Provider", &agent.provider);
    text.line("Strategy", agent.strategy.as_str());
    text.line("Status", agent.status.as_str());
    text.optional_line("Error", agent.error.as_deref());
    for (index, entry) in agent.trail.iter().enumerate() {
        text.entry(index + 1, heading(entry.event_type), entry.tool.as_deref(), &entry.content);
    }
    let concluded = agent.trail.iter().any(|entry| entry.event_type == TimelineEventType::FinalAnalysis);
    if let Some(analysis) = agent.analysis.as_ref().filter(|_| !concluded) {
        text.part("ANALYSIS", &agent.name, |text| text.content(analysis));
    }
}

const fn heading(event_type: TimelineEventType) -> &'static str {
    match event_type {
        TimelineEventType::LlmThinking => "REASONING",
        TimelineEventType::LlmResponse => "RESPONSE",
        TimelineEventType::ToolCall => "TOOL CALL",
        TimelineEventType::ToolResult => "TOOL RESULT",
        TimelineEventType::McpToolSummary => "TOOL RESULT, SUMMARISED",
        TimelineEventType::FinalAnalysis => "FINAL ANALYSIS",
        TimelineEventType::ExecutiveSummary => "EXECUTIVE SUMMARY",
        TimelineEventType::UserQuestion => "QUESTION",
        TimelineEventType::RoutingDecision => "ROUTING DECISION",
        TimelineEventType::AlertUpdate => "ALERT UPDATE",
        TimelineEventType::Warning => "WARNING",
        TimelineEventType::Error => "ERROR",
    }
}

#[cfg(test)]
mod tests;
