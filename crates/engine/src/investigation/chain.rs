//! The next stage of a session, and how the session ends. Pure: both follow from the record, so a resumed
//! session takes the same path.

use tarsy_config::ResolvedChain;
use tarsy_config::file::OnStageFailure;
use tarsy_domain::{Condition, ExecutionKind, SessionStatus, WorkStatus};
use tarsy_store::{Execution, Stage};

use crate::investigation::facts::Facts;

/// The next action of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NextStep {
    /// Run or resume this stage. The reason is set if the stage has a condition.
    Run { index: usize, reason: Option<String> },
    /// Skip this stage.
    Skip { index: usize, reason: String },
    /// Conclude: all stages have ended.
    Conclude,
}

/// The end of a session whose stages have ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionConclusion {
    pub(crate) status: SessionStatus,
    pub(crate) final_analysis: Option<String>,
    pub(crate) error_message: Option<String>,
}

/// Decides the next action from the recorded stages.
pub(crate) fn next(chain: &ResolvedChain, stages: &[Stage], alert_data: &str) -> NextStep {
    let Some(index) = stages.iter().position(|stage| !stage.status.is_terminal()) else {
        return NextStep::Conclude;
    };
    let (stage, plan) = (&stages[index], chain.stages.get(index));
    if stage.status == WorkStatus::Active {
        return NextStep::Run { index, reason: None };
    }
    let failed = stages[..index].iter().find(|stage| has_failed(stage.status));
    if let (OnStageFailure::Stop, Some(failed)) = (chain.on_stage_failure, failed) {
        let reason = format!(
            "stage `{}` {}, and the chain stops at a failure",
            failed.name,
            past_tense(failed.status)
        );
        return NextStep::Skip { index, reason };
    }
    let Some(when) = plan.and_then(|plan| plan.when.as_deref()) else {
        return NextStep::Run { index, reason: None };
    };
    let earlier = stages[..index].iter();
    let earlier = earlier.map(|stage| (stage.name.as_str(), stage.status, stage.analysis.as_deref()));
    match Condition::parse(when) {
        Ok(condition) if Facts::new(alert_data, earlier.collect()).satisfy(&condition) => {
            NextStep::Run { index, reason: Some(format!("its condition holds: {when}")) }
        }
        Ok(_) => NextStep::Skip { index, reason: format!("its condition does not hold: {when}") },
        // The configuration was validated, so this chain was recorded by another version.
        Err(error) => {
            NextStep::Skip { index, reason: format!("its condition cannot be read: {when} ({error})") }
        }
    }
}

/// Decides how the session ends.
pub(crate) fn conclude(stages: &[Stage], executions: &[Execution]) -> SessionConclusion {
    let failed: Vec<&Stage> = stages.iter().filter(|stage| has_failed(stage.status)).collect();
    let any_completed = stages.iter().any(|stage| stage.status == WorkStatus::Completed);
    let status = match (failed.is_empty(), any_completed) {
        (true, _) => SessionStatus::Completed,
        (false, true) => SessionStatus::CompletedWithErrors,
        (false, false) => SessionStatus::Failed,
    };
    let reported = stages.iter().filter(|stage| has_failed(stage.status) || is_cut_short(stage));
    let errors: Vec<String> = reported.map(describe).collect();
    SessionConclusion {
        status,
        final_analysis: analysis_of(stages).or_else(|| partial(executions)),
        error_message: (!errors.is_empty()).then(|| errors.join("; ")),
    }
}

/// Returns the analysis of the last completed stage that has one.
pub(crate) fn analysis_of(stages: &[Stage]) -> Option<String> {
    let completed = stages.iter().rev().filter(|stage| stage.status == WorkStatus::Completed);
    completed.filter_map(|stage| stage.analysis.clone()).next()
}

/// Returns a labeled partial result for a session in which no stage has a result: the analysis of the last
/// agent that completed, or else the last text of an agent.
pub(crate) fn partial(executions: &[Execution]) -> Option<String> {
    let agents = executions.iter().filter(|execution| execution.identity.kind == ExecutionKind::Agent);
    let texts = agents.filter_map(|execution| Some((execution, execution.final_analysis.as_ref()?)));
    let (completed, unfinished): (Vec<_>, Vec<_>) =
        texts.partition(|(execution, _)| execution.status == WorkStatus::Completed);
    let (execution, text) = completed.last().or(unfinished.last())?;
    let agent = &execution.identity.agent_name;
    let what = if execution.status == WorkStatus::Completed {
        format!("What {agent} found, whose stage has no result")
    } else {
        format!("The last thing that {agent} said")
    };
    Some(format!("**No conclusion was reached.** {what}:\n\n{text}"))
}

fn describe(stage: &Stage) -> String {
    let reason = stage.error_message.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("stage `{}` {}{reason}", stage.name, past_tense(stage.status))
}

/// Returns whether the stage has a result that was limited by a budget.
fn is_cut_short(stage: &Stage) -> bool {
    stage.status == WorkStatus::Completed && stage.error_message.is_some()
}

fn has_failed(status: WorkStatus) -> bool {
    match status {
        WorkStatus::Failed | WorkStatus::TimedOut | WorkStatus::Cancelled => true,
        WorkStatus::Pending | WorkStatus::Active | WorkStatus::Completed | WorkStatus::Skipped => false,
    }
}

fn past_tense(status: WorkStatus) -> &'static str {
    match status {
        WorkStatus::TimedOut => "ran out of time",
        WorkStatus::Cancelled => "was cancelled",
        WorkStatus::Completed => "was cut short",
        WorkStatus::Pending | WorkStatus::Active | WorkStatus::Failed | WorkStatus::Skipped => "failed",
    }
}

#[cfg(test)]
mod tests;
