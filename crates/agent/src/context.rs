//! Formats the results of finished stages for the next stage, a synthesis or a chat.
//!
//! The format depends on the strategy of the reader ([`format_for_strategy`]): a later stage gets the final
//! analyses, and a synthesis gets the complete trail of every agent. Section marks are HTML comments that
//! only this module writes. Comments in the content are escaped, so content cannot end its section or imitate
//! another one. Nothing is truncated here.

use tarsy_domain::{IterationStrategy, TimelineEventType, WorkStatus};

use sections::SectionWriter;

mod sections;

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
///
/// For a synthesis, `stages` is the one stage whose agents it merges.
pub fn format_for_strategy(reader: IterationStrategy, stages: &[StageResult]) -> Option<FormattedResults> {
    let formatted = match reader {
        IterationStrategy::Synthesis | IterationStrategy::SynthesisNativeThinking => {
            format_investigation(stages)
        }
        IterationStrategy::React
        | IterationStrategy::ReactStage
        | IterationStrategy::ReactFinalAnalysis
        | IterationStrategy::NativeThinking
        | IterationStrategy::SingleCall => format_earlier_stages(stages),
    };
    Some(formatted).filter(|_| !stages.is_empty())
}

/// Formats the results of stages for a later stage.
pub fn format_earlier_stages(stages: &[StageResult]) -> FormattedResults {
    format_stages(stages, write_analyses)
}

/// Formats the trails and results of the agents of one stage for their synthesis.
pub fn format_for_synthesis(stage: &StageResult) -> FormattedResults {
    format_investigation(std::slice::from_ref(stage))
}

/// Formats the trails and results of all stages for a chat.
pub fn format_investigation(stages: &[StageResult]) -> FormattedResults {
    format_stages(stages, write_trails)
}

fn format_stages(
    stages: &[StageResult],
    write_results: fn(&mut SectionWriter, &StageResult),
) -> FormattedResults {
    let mut text = SectionWriter::default();
    for stage in stages {
        text.section("STAGE", &stage.name, |text| {
            text.line("Status", stage.status.as_str());
            text.optional_line("Reason", stage.reason.as_deref());
            write_results(text, stage);
        });
    }
    FormattedResults(text.finish())
}

/// Writes the status of each agent, then the synthesis of the stage or the analysis of each agent.
fn write_analyses(text: &mut SectionWriter, stage: &StageResult) {
    for agent in &stage.agents {
        let failure = agent.error.as_deref().map(|error| format!("{}: {error}", agent.status));
        text.line(&format!("Agent {}", agent.name), &failure.unwrap_or_else(|| agent.status.to_string()));
    }
    if let Some(synthesis) = &stage.synthesis {
        return text.section("ANALYSIS", "synthesis of all agents", |text| text.content(synthesis));
    }
    for agent in &stage.agents {
        if let Some(analysis) = &agent.analysis {
            text.section("ANALYSIS", &agent.name, |text| text.content(analysis));
        }
    }
}

/// Writes each agent with its complete trail, then the synthesis.
fn write_trails(text: &mut SectionWriter, stage: &StageResult) {
    for agent in &stage.agents {
        text.section("AGENT", &agent.name, |text| write_agent(text, agent));
    }
    if let Some(synthesis) = &stage.synthesis {
        text.section("ANALYSIS", "synthesis of all agents", |text| text.content(synthesis));
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
        text.section("ANALYSIS", &agent.name, |text| text.content(analysis));
    }
}

const fn heading(event_type: TimelineEventType) -> &'static str {
    match event_type {
        TimelineEventType::LlmThinking => "REASONING",
        TimelineEventType::LlmResponse => "RESPONSE",
        TimelineEventType::ToolCall => "TOOL CALL",
        TimelineEventType::ToolResult => "TOOL RESULT",
        TimelineEventType::McpToolSummary => "TOOL RESULT, SUMMARISED",
        TimelineEventType::CodeExecution => "CODE EXECUTION",
        TimelineEventType::GoogleSearchResult => "WEB SEARCH RESULTS",
        TimelineEventType::UrlContextResult => "FETCHED PAGES",
        TimelineEventType::ProviderFallback => "PROVIDER FALLBACK",
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
