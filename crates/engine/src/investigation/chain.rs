//! What a session does next, and how it ends. Pure: decided from what is recorded, so a resumed session goes the same way.

use tarsy_config::ResolvedChain;
use tarsy_config::file::OnStageFailure;
use tarsy_domain::{Condition, ExecutionKind, SessionStatus, WorkStatus};
use tarsy_store::{Execution, Stage};

use crate::investigation::facts::Facts;

/// What comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    /// This stage is to run, or to go on. The reason is there if it has a condition.
    Run { index: usize, reason: Option<String> },
    /// This stage is left out.
    Skip { index: usize, reason: String },
    /// All stages have ended.
    Conclude,
}

/// How a session ends whose stages have ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conclusion {
    pub(crate) status: SessionStatus,
    pub(crate) final_analysis: Option<String>,
    pub(crate) error_message: Option<String>,
}

/// What comes next in a chain.
pub(crate) fn next(chain: &ResolvedChain, stages: &[Stage], alert_data: &str) -> Next {
    let Some(index) = stages.iter().position(|stage| !stage.status.is_terminal()) else {
        return Next::Conclude;
    };
    let (stage, plan) = (&stages[index], chain.stages.get(index));
    if stage.status == WorkStatus::Active {
        return Next::Run { index, reason: None };
    }
    let failed = stages[..index].iter().find(|stage| has_failed(stage.status));
    if let (OnStageFailure::Stop, Some(failed)) = (chain.on_stage_failure, failed) {
        let reason =
            format!("stage `{}` {}, and the chain stops at a failure", failed.name, worded(failed.status));
        return Next::Skip { index, reason };
    }
    let Some(when) = plan.and_then(|plan| plan.when.as_deref()) else {
        return Next::Run { index, reason: None };
    };
    let earlier = stages[..index].iter();
    let earlier = earlier.map(|stage| (stage.name.as_str(), stage.status, stage.analysis.as_deref()));
    match Condition::parse(when) {
        Ok(condition) if Facts::new(alert_data, earlier.collect()).satisfy(&condition) => {
            Next::Run { index, reason: Some(format!("its condition holds: {when}")) }
        }
        Ok(_) => Next::Skip { index, reason: format!("its condition does not hold: {when}") },
        // The configuration was checked, so this is a record of another version.
        Err(error) => Next::Skip { index, reason: format!("its condition cannot be read: {when} ({error})") },
    }
}

/// How the session ends.
pub(crate) fn conclude(stages: &[Stage], executions: &[Execution]) -> Conclusion {
    let failed: Vec<&Stage> = stages.iter().filter(|stage| has_failed(stage.status)).collect();
    let any_completed = stages.iter().any(|stage| stage.status == WorkStatus::Completed);
    let status = match (failed.is_empty(), any_completed) {
        (true, _) => SessionStatus::Completed,
        (false, true) => SessionStatus::CompletedWithErrors,
        (false, false) => SessionStatus::Failed,
    };
    let troubled = stages.iter().filter(|stage| has_failed(stage.status) || is_cut_short(stage));
    let errors: Vec<String> = troubled.map(describe).collect();
    Conclusion {
        status,
        final_analysis: analysis_of(stages).or_else(|| partial(executions)),
        error_message: (!errors.is_empty()).then(|| errors.join("; ")),
    }
}

/// What the last stage found that found something.
pub(crate) fn analysis_of(stages: &[Stage]) -> Option<String> {
    let completed = stages.iter().rev().filter(|stage| stage.status == WorkStatus::Completed);
    completed.filter_map(|stage| stage.analysis.clone()).next()
}

/// What there is where no stage has a result, labelled as what it is: what the last agent found that found something, or
/// else the last thing that one said.
pub(crate) fn partial(executions: &[Execution]) -> Option<String> {
    let agents = executions.iter().filter(|execution| execution.identity.kind == ExecutionKind::Agent);
    let said = agents.filter_map(|execution| Some((execution, execution.final_analysis.as_ref()?)));
    let (found, unfinished): (Vec<_>, Vec<_>) =
        said.partition(|(execution, _)| execution.status == WorkStatus::Completed);
    let (execution, text) = found.last().or(unfinished.last())?;
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
    format!("stage `{}` {}{reason}", stage.name, worded(stage.status))
}

/// Whether it has a result that a limit kept from being the best.
fn is_cut_short(stage: &Stage) -> bool {
    stage.status == WorkStatus::Completed && stage.error_message.is_some()
}

fn has_failed(status: WorkStatus) -> bool {
    match status {
        WorkStatus::Failed | WorkStatus::TimedOut | WorkStatus::Cancelled => true,
        WorkStatus::Pending | WorkStatus::Active | WorkStatus::Completed | WorkStatus::Skipped => false,
    }
}

fn worded(status: WorkStatus) -> &'static str {
    match status {
        WorkStatus::TimedOut => "ran out of time",
        WorkStatus::Cancelled => "was cancelled",
        WorkStatus::Completed => "was cut short",
        WorkStatus::Pending | WorkStatus::Active | WorkStatus::Failed | WorkStatus::Skipped => "failed",
    }
}
