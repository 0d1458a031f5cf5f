//! Access to the texts of a handover that can be shortened.

use tarsy_agent::{Handover, StageResult, TrailEntry};
use tarsy_domain::{TimelineEventType, tokens_at_most};

/// The position of a step in the trails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StepPosition {
    // The order of the fields is the order of age: agents of one stage work at the same time.
    stage: usize,
    step: usize,
    agent: usize,
}

impl StepPosition {
    /// Returns the step.
    pub(super) fn entry_mut(self, stages: &mut [StageResult]) -> Option<&mut TrailEntry> {
        stages.get_mut(self.stage)?.agents.get_mut(self.agent)?.trail.get_mut(self.step)
    }
}

/// Returns the positions of the recorded tool results with their sizes in tokens, oldest first.
pub(super) fn results_by_age(stages: &[StageResult]) -> Vec<(StepPosition, usize)> {
    let mut positions = Vec::new();
    for (stage, result) in stages.iter().enumerate() {
        for (agent, one) in result.agents.iter().enumerate() {
            let steps = one.trail.iter().enumerate().filter(|(_, entry)| entry.result.is_some());
            positions.extend(
                steps.map(|(step, entry)| {
                    (StepPosition { stage, step, agent }, tokens_at_most(&entry.content))
                }),
            );
        }
    }
    positions.sort_unstable();
    positions
}

/// Returns the steps that are shown.
pub(super) fn entries(handover: &Handover) -> impl Iterator<Item = &TrailEntry> {
    handover.trails.iter().flat_map(|stage| &stage.agents).flat_map(|agent| &agent.trail)
}

/// Returns the steps that are shown, to change them.
pub(super) fn entries_mut(handover: &mut Handover) -> impl Iterator<Item = &mut TrailEntry> {
    handover.trails.iter_mut().flat_map(|stage| &mut stage.agents).flat_map(|agent| &mut agent.trail)
}

/// Removes the steps for which `keep` returns `false`.
pub(super) fn retain(handover: &mut Handover, keep: fn(&TrailEntry) -> bool) {
    for agent in handover.trails.iter_mut().flat_map(|stage| &mut stage.agents) {
        agent.trail.retain(keep);
    }
}

/// Returns the sizes in tokens of the recorded tool results that are shown.
pub(super) fn result_sizes(handover: &Handover) -> Vec<usize> {
    let results = entries(handover).filter(|entry| entry.result.is_some());
    results.map(|entry| tokens_at_most(&entry.content)).collect()
}

/// Returns the analyses that are shown, to change them.
pub(super) fn analyses_mut(handover: &mut Handover) -> Vec<&mut String> {
    let mut texts = Vec::new();
    for stage in &mut handover.analyses {
        match &mut stage.synthesis {
            Some(synthesis) => texts.push(synthesis),
            None => texts.extend(stage.agents.iter_mut().filter_map(|agent| agent.analysis.as_mut())),
        }
    }
    for stage in &mut handover.trails {
        texts.extend(stage.synthesis.as_mut());
        for agent in &mut stage.agents {
            // An analysis that is also a step is shown once, as a step.
            let steps =
                agent.trail.iter_mut().filter(|entry| entry.event_type == TimelineEventType::FinalAnalysis);
            let mut steps: Vec<&mut String> = steps.map(|entry| &mut entry.content).collect();
            if steps.is_empty() {
                steps.extend(agent.analysis.as_mut());
            }
            texts.append(&mut steps);
        }
    }
    texts
}

/// Returns whether a step is a tool result.
pub(super) fn is_result(entry: &TrailEntry) -> bool {
    matches!(entry.event_type, TimelineEventType::ToolResult | TimelineEventType::McpToolSummary)
}

/// Returns whether a step is the reasoning of the model.
pub(super) fn is_reasoning(entry: &TrailEntry) -> bool {
    matches!(entry.event_type, TimelineEventType::LlmThinking | TimelineEventType::LlmResponse)
}
