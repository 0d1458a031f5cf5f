//! Which way a session took through a chain with conditions. Pure.

use serde::Serialize;
use tarsy_domain::WorkStatus;
use utoipa::ToSchema;

use crate::view::investigation::InvestigationStage;

/// Why a stage ran or was skipped.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct RoutingDecisionResponse {
    /// The condition of the stage; null if it was skipped for another reason.
    condition: Option<String>,
    /// What was decided.
    decision: RoutingOutcome,
    /// Why, as a sentence for people; null until it is decided.
    reason: Option<String>,
}

/// What was decided about a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RoutingOutcome {
    /// Not decided yet.
    Pending,
    /// The stage runs or has run.
    Run,
    /// The stage is skipped.
    Skip,
}

/// The decision that an event reports.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct RoutingContextResponse {
    /// Name of the stage that the decision is about.
    decision_point: String,
    /// Name of the stage that runs next; null if none follows.
    chosen_path: Option<String>,
    /// Names of the stages that the decision skips.
    skipped_paths: Vec<String>,
}

impl RoutingDecisionResponse {
    /// Returns the decision about a stage; None if it runs unconditionally.
    pub(super) fn new(stage: &InvestigationStage) -> Option<Self> {
        let (condition, reason) = (stage.condition.clone(), stage.stage.routing_reason.clone());
        if condition.is_none() && reason.is_none() {
            return None;
        }
        let decision = match stage.stage.status {
            WorkStatus::Pending => RoutingOutcome::Pending,
            WorkStatus::Skipped => RoutingOutcome::Skip,
            WorkStatus::Active
            | WorkStatus::Completed
            | WorkStatus::Failed
            | WorkStatus::TimedOut
            | WorkStatus::Cancelled => RoutingOutcome::Run,
        };
        Some(Self { condition, decision, reason })
    }
}

impl RoutingContextResponse {
    /// Returns the decision about the stage at `index`.
    pub(super) fn new(stages: &[InvestigationStage], index: usize) -> Option<Self> {
        let stage = stages.get(index)?;
        let is_skipped = stage.stage.status == WorkStatus::Skipped;
        let runs = |stage: &&InvestigationStage| stage.stage.status != WorkStatus::Skipped;
        Some(Self {
            decision_point: stage.stage.name.clone(),
            chosen_path: stages[index..].iter().find(runs).map(|stage| stage.stage.name.clone()),
            skipped_paths: is_skipped.then(|| stage.stage.name.clone()).into_iter().collect(),
        })
    }
}

/// Returns the names of the stages that have started, up to the one at `index`; None if no stage of the chain
/// has a condition.
pub(super) fn execution_path(stages: &[InvestigationStage], index: usize) -> Option<Vec<String>> {
    if stages.iter().all(|stage| stage.condition.is_none()) {
        return None;
    }
    let until = stages.iter().take(index + 1);
    let started = until.filter(|stage| stage.stage.started_at.is_some());
    Some(started.map(|stage| stage.stage.name.clone()).collect())
}
