//! Writes the agents of a stage: their analyses, or everything they did.

use tarsy_domain::{TimelineEventType, ToolStatus, WorkStatus};

use super::sections::SectionWriter;
use super::{AgentResult, StageResult, TrailEntry};

/// Writes the status of each agent, then the synthesis of the stage or the analysis of each agent.
pub(super) fn write_analyses(text: &mut SectionWriter, stage: &StageResult) {
    for agent in &stage.agents {
        text.line(&format!("Agent {}", agent.name), shown_status(agent.status));
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
pub(super) fn write_trails(text: &mut SectionWriter, stage: &StageResult) {
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
    text.line("Status", shown_status(agent.status));
    let steps = agent.trail.iter().filter(|entry| is_data(entry.event_type));
    for (index, entry) in steps.enumerate() {
        text.entry(index + 1, heading(entry), subject(entry).as_deref(), &entry.content);
    }
    let concluded = agent.trail.iter().any(|entry| entry.event_type == TimelineEventType::FinalAnalysis);
    if let Some(analysis) = agent.analysis.as_ref().filter(|_| !concluded) {
        text.section("ANALYSIS", &agent.name, |text| text.content(analysis));
    }
}

/// Returns a status as the reader sees it. Why there is no result is not data; it is in the operational notes.
pub(super) fn shown_status(status: WorkStatus) -> &'static str {
    match status {
        WorkStatus::Failed | WorkStatus::TimedOut | WorkStatus::Cancelled => {
            "no result, see the operational notes"
        }
        WorkStatus::Pending | WorkStatus::Active | WorkStatus::Completed | WorkStatus::Skipped => {
            status.as_str()
        }
    }
}

/// Returns the tool of a step and the id of its result.
fn subject(entry: &TrailEntry) -> Option<String> {
    match (&entry.tool, &entry.result) {
        (Some(tool), Some(result)) => Some(format!("{tool}, {}", result.id)),
        (tool, _) => tool.clone(),
    }
}

/// Returns whether a step is investigation data. The others are problems of TARSy.
fn is_data(event_type: TimelineEventType) -> bool {
    match event_type {
        TimelineEventType::Warning | TimelineEventType::Error | TimelineEventType::ProviderFallback => false,
        TimelineEventType::LlmThinking
        | TimelineEventType::LlmResponse
        | TimelineEventType::ToolCall
        | TimelineEventType::ToolResult
        | TimelineEventType::McpToolSummary
        | TimelineEventType::CodeExecution
        | TimelineEventType::GoogleSearchResult
        | TimelineEventType::UrlContextResult
        | TimelineEventType::FinalAnalysis
        | TimelineEventType::ExecutiveSummary
        | TimelineEventType::UserQuestion
        | TimelineEventType::RoutingDecision
        | TimelineEventType::AlertUpdate => true,
    }
}

const fn heading(entry: &TrailEntry) -> &'static str {
    match entry.event_type {
        TimelineEventType::LlmThinking => "REASONING",
        TimelineEventType::LlmResponse => "RESPONSE",
        TimelineEventType::ToolCall => "TOOL CALL",
        TimelineEventType::ToolResult => match entry.status {
            Some(ToolStatus::Ok) | None => "TOOL RESULT",
            Some(ToolStatus::Error | ToolStatus::TimedOut) => "FAILED TOOL CALL",
        },
        TimelineEventType::McpToolSummary => "TOOL RESULT, SUMMARIZED",
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
