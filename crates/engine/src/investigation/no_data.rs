//! Sessions in which no agent got a result from a tool. Pure.

use std::collections::HashSet;

use tarsy_agent::{StageResult, collected_results};
use tarsy_config::{ResolvedAgent, ResolvedStage};
use tarsy_domain::{McpSelection, TimelineEventType, ToolStatus, WorkStatus};

/// Maximum number of characters of the reason.
const MAX_REASON: usize = 400;

/// Returns why no agent has got data from a tool, or `None` if one has or if none has tools.
///
/// `plans` and `stages` are the stages of the chain in the same order; stages that did not run do not count.
pub(crate) fn missing_data(
    plans: &[ResolvedStage],
    stages: &[StageResult],
    selection: &McpSelection,
) -> Option<String> {
    let has_tools = |agent: &ResolvedAgent| {
        agent.iteration_strategy.uses_tools() && !selection.server_names(&agent.mcp_servers).is_empty()
    };
    let ran = plans.iter().zip(stages).filter(|(_, stage)| has_run(stage.status));
    let expects_data = ran.flat_map(|(plan, _)| &plan.agents).any(has_tools);
    if !expects_data || collected_results(stages).next().is_some() {
        return None;
    }
    Some(reason(stages))
}

fn has_run(status: WorkStatus) -> bool {
    match status {
        WorkStatus::Pending | WorkStatus::Skipped => false,
        WorkStatus::Active
        | WorkStatus::Completed
        | WorkStatus::Failed
        | WorkStatus::TimedOut
        | WorkStatus::Cancelled => true,
    }
}

/// Returns the known reasons: unavailable servers, failed agents, failed calls.
fn reason(stages: &[StageResult]) -> String {
    let agents = || stages.iter().flat_map(|stage| &stage.agents);
    let trails = || agents().flat_map(|agent| &agent.trail);
    let mut reasons: Vec<String> = trails()
        .filter(|entry| entry.event_type == TimelineEventType::Warning)
        .map(|entry| one_line(without_details(&entry.content)))
        .collect();
    let errors = agents().filter_map(|agent| Some((agent, agent.error.as_deref()?)));
    reasons.extend(errors.map(|(agent, error)| format!("{}: {}", agent.name, one_line(error))));
    let calls: Vec<ToolStatus> = trails().filter_map(|entry| entry.status).collect();
    let failed = calls.iter().filter(|status| **status != ToolStatus::Ok).count();
    if failed > 0 {
        reasons.push(format!("{failed} of {} tool calls failed", calls.len()));
    }
    if reasons.is_empty() {
        reasons.push("no agent called a tool".to_owned());
    }
    let mut seen = HashSet::new();
    reasons.retain(|reason| seen.insert(reason.clone()));
    bounded(reasons.join("; "))
}

/// Returns what a warning is about. Its details, such as the error of a connection, are in the timeline; they
/// depend on the machine, and the final text must be the same in a replay.
fn without_details(warning: &str) -> &str {
    warning.split_once(": ").map_or(warning, |(subject, _)| subject)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn bounded(text: String) -> String {
    match text.char_indices().nth(MAX_REASON) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use tarsy_agent::{AgentResult, TrailEntry};
    use tarsy_domain::IterationStrategy;

    use super::*;

    fn entry(event_type: TimelineEventType, content: &str, status: Option<ToolStatus>) -> TrailEntry {
        TrailEntry { event_type, content: content.to_owned(), tool: None, status, result: None }
    }

    fn stage(trail: Vec<TrailEntry>, error: Option<&str>) -> StageResult {
        let agent = AgentResult {
            name: "a".to_owned(),
            provider: "p".to_owned(),
            strategy: IterationStrategy::React,
            status: WorkStatus::Completed,
            analysis: None,
            error: error.map(str::to_owned),
            trail,
        };
        let agents = vec![agent];
        StageResult {
            name: "s".to_owned(),
            status: WorkStatus::Completed,
            reason: None,
            agents,
            synthesis: None,
        }
    }

    #[test]
    fn names_every_reason_once() {
        let down = || entry(TimelineEventType::Warning, "MCP server `x`\nis down: connection refused", None);
        let failed = || entry(TimelineEventType::ToolResult, "no", Some(ToolStatus::Error));
        for (stages, expected) in [
            (vec![stage(vec![], None)], "no agent called a tool"),
            (vec![stage(vec![], Some("rate limit"))], "a: rate limit"),
            (
                vec![stage(vec![down(), failed()], None), stage(vec![down(), failed()], Some("late"))],
                "MCP server `x` is down; a: late; 2 of 2 tool calls failed",
            ),
        ] {
            assert_eq!(reason(&stages), expected);
        }
        let long = reason(&[stage(vec![], Some(&"ü".repeat(1000)))]);
        assert_eq!(long.chars().count(), MAX_REASON + 1);
    }
}
