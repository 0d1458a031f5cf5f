//! One stage: its agents in parallel, then the synthesis of their results.

use futures_util::future::join_all;
use tarsy_agent::{Handover, StagePosition, StageResult};
use tarsy_config::{ResolvedAgent, ResolvedStage};
use tarsy_domain::{ExecutionKind, SuccessPolicy, Timestamp, WorkStatus};
use tarsy_store::{Execution, Stage, StageOutcome};

use crate::execution::setup::AgentAssignment;
use crate::execution::{EndedExecution, ExecutionJob};
use crate::investigation::results::SessionRecord;
use crate::session_work::{SessionWork, time_left};
use crate::stop::halt::Halt;
use crate::stop::{Stop, StopCause};

/// A running stage.
pub(crate) struct StageWork<'a> {
    pub(crate) work: &'a SessionWork,
    pub(crate) plan: &'a ResolvedStage,
    pub(crate) stage: &'a Stage,
    /// Results of the earlier stages.
    pub(crate) earlier: &'a [StageResult],
    /// Number of stages of the chain.
    pub(crate) total: usize,
    pub(crate) runbook: Option<&'a str>,
    /// Remaining token budget of the session.
    pub(crate) budget: Option<u64>,
}

impl StageWork<'_> {
    /// Runs the stage and records its end.
    pub(crate) async fn run(&self) -> Result<(), Halt> {
        let stop = self.work.stop.child();
        let ended = self.run_within_timeout(&stop).await;
        let outcome = match ended {
            Ok(outcome) => outcome,
            Err(Halt::Stopped(cause)) => {
                let Some(status) = cause.ending() else { return Err(cause.into()) };
                self.finish(without_result(status, self.stopped_message(cause))).await?;
                return if cause == StopCause::StageTimeout { Ok(()) } else { Err(cause.into()) };
            }
            Err(halt) => return Err(halt),
        };
        self.finish(outcome).await
    }

    async fn finish(&self, outcome: StageOutcome) -> Result<(), Halt> {
        self.work.recorder.finish_stage(self.stage.stage_id, outcome, None).await
    }

    fn stopped_message(&self, cause: StopCause) -> String {
        match (cause, self.plan.timeout) {
            (StopCause::StageTimeout, Some(limit)) => format!("the stage took longer than {limit}"),
            (cause, _) => cause.message().to_owned(),
        }
    }

    /// Runs the agents and requests a stop when the stage reaches its timeout. Running executions still
    /// record their end after that.
    async fn run_within_timeout(&self, stop: &Stop) -> Result<StageOutcome, Halt> {
        let mut running = std::pin::pin!(self.run_executions(stop));
        let Some(limit) = self.plan.timeout else { return running.await };
        let interrupted = self.work.session.interrupted;
        let left = time_left(limit.duration(), self.stage.started_at, interrupted, Timestamp::now());
        stop.set_time_left(left);
        if !left.is_zero() {
            tokio::select! {
                outcome = &mut running => return outcome,
                () = tokio::time::sleep(left) => {}
            }
        }
        stop.stop(StopCause::StageTimeout);
        running.await
    }

    async fn run_executions(&self, stop: &Stop) -> Result<StageOutcome, Halt> {
        let recorded = self.work.resources.store.execution_list(self.work.session.session_id).await?;
        let agents = self.run_agents(&recorded, stop).await?;
        let Some(synthesis) = &self.plan.synthesis else { return Ok(single_agent_outcome(agents)) };
        if let Some(failed) = policy_failure(&agents, self.plan.success_policy) {
            return Ok(failed);
        }
        self.synthesize(synthesis, stop).await.map(synthesis_outcome)
    }

    async fn run_agents(&self, recorded: &[Execution], stop: &Stop) -> Result<Vec<EndedExecution>, Halt> {
        let count = self.plan.agents.len() as u64;
        let budget = self.budget.map(|budget| budget / count.max(1));
        let missing_data = self.work.missing_data(self.earlier);
        let handover = |agent: &ResolvedAgent| Handover {
            no_data: missing_data.clone(),
            ..Handover::for_stage(agent.iteration_strategy, self.earlier.to_vec())
        };
        let earlier: Vec<Handover> = self.plan.agents.iter().map(handover).collect();
        let jobs: Vec<ExecutionJob<'_>> = (0..)
            .zip(self.plan.agents.iter().zip(&earlier))
            .map(|(agent_index, (agent, earlier))| ExecutionJob {
                kind: ExecutionKind::Agent,
                stage_id: Some(self.stage.stage_id),
                stage_name: &self.stage.name,
                agent_index,
                agent,
                assignment: self.assignment(earlier),
                budget,
            })
            .collect();
        let ended = join_all(jobs.iter().map(|job| self.run_one(job, recorded, stop))).await;
        all_ended(ended)
    }

    /// Runs one of the agents. If it cannot continue, the others are stopped without recording an end.
    async fn run_one(
        &self,
        job: &ExecutionJob<'_>,
        recorded: &[Execution],
        stop: &Stop,
    ) -> Result<EndedExecution, Halt> {
        let ended = job.run(self.work, recorded, stop).await;
        if let Err(Halt::Store(_) | Halt::Broken(_)) = &ended {
            stop.stop(StopCause::Parked);
        }
        ended
    }

    async fn synthesize(&self, agent: &ResolvedAgent, stop: &Stop) -> Result<EndedExecution, Halt> {
        let record = SessionRecord::load(&self.work.resources.store, self.work.session.session_id).await?;
        let handover = self.handover_of_synthesis(record.stage_result(self.stage)?);
        let job = ExecutionJob {
            kind: ExecutionKind::Synthesis,
            stage_id: Some(self.stage.stage_id),
            stage_name: &self.stage.name,
            agent_index: 0,
            agent,
            assignment: self.assignment(&handover),
            // Read again, because the agents used a part of it.
            budget: self.work.budget_left().await?,
        };
        job.run(self.work, &record.executions, stop).await
    }

    fn handover_of_synthesis(&self, merged: StageResult) -> Handover {
        let mut stages = self.earlier.to_vec();
        stages.push(merged.clone());
        let no_data = self.work.missing_data(&stages);
        Handover { no_data, ..Handover::for_synthesis(self.earlier.to_vec(), merged) }
    }

    fn assignment<'a>(&'a self, earlier: &'a Handover) -> AgentAssignment<'a> {
        let number = usize::try_from(self.stage.stage_index).unwrap_or(usize::MAX).saturating_add(1);
        let position = StagePosition { name: &self.stage.name, number, total: self.total };
        AgentAssignment::Stage { position, earlier, runbook: self.runbook }
    }
}

/// Returns all ends, or the most severe halt: a failure takes precedence over a stop.
fn all_ended(ended: Vec<Result<EndedExecution, Halt>>) -> Result<Vec<EndedExecution>, Halt> {
    let mut stopped = None;
    let mut agents = Vec::new();
    for one in ended {
        match one {
            Ok(ended) => agents.push(ended),
            Err(Halt::Stopped(cause)) => stopped = stopped.or(Some(cause)),
            Err(halt) => return Err(halt),
        }
    }
    stopped.map_or(Ok(agents), |cause| Err(cause.into()))
}

fn single_agent_outcome(agents: Vec<EndedExecution>) -> StageOutcome {
    match agents.into_iter().next() {
        Some(ended) => StageOutcome {
            status: ended.status,
            analysis: ended.analysis,
            error_message: ended.error,
            routing_reason: None,
        },
        None => without_result(WorkStatus::Failed, "the stage has no agents".to_owned()),
    }
}

fn synthesis_outcome(ended: EndedExecution) -> StageOutcome {
    // A completed synthesis may also have an error message: the limit that cut it short.
    let is_merged = ended.status == WorkStatus::Completed;
    let explained =
        |error| if is_merged { error } else { format!("the results could not be merged: {error}") };
    let error_message = ended.error.map(explained);
    StageOutcome { status: ended.status, analysis: ended.analysis, error_message, routing_reason: None }
}

/// Returns the outcome of a stage whose success policy is not met, or `None` if it is.
fn policy_failure(agents: &[EndedExecution], policy: SuccessPolicy) -> Option<StageOutcome> {
    let failed: Vec<&EndedExecution> =
        agents.iter().filter(|agent| agent.status != WorkStatus::Completed).collect();
    let enough = match policy {
        SuccessPolicy::Any => failed.len() < agents.len(),
        SuccessPolicy::All => failed.is_empty(),
    };
    if enough {
        return None;
    }
    let reasons: Vec<String> = failed
        .iter()
        .map(|agent| format!("{}: {}", agent.agent, agent.error.as_deref().unwrap_or(agent.status.as_str())))
        .collect();
    let all_timed_out = failed.iter().all(|agent| agent.status == WorkStatus::TimedOut);
    let status = if all_timed_out { WorkStatus::TimedOut } else { WorkStatus::Failed };
    let message = format!("{} of {} agents failed: {}", failed.len(), agents.len(), reasons.join("; "));
    Some(without_result(status, message))
}

fn without_result(status: WorkStatus, message: String) -> StageOutcome {
    StageOutcome { status, analysis: None, error_message: Some(message), routing_reason: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(agent: &str, status: WorkStatus) -> EndedExecution {
        EndedExecution {
            execution_id: tarsy_domain::ExecutionId::new(),
            agent: agent.to_owned(),
            status,
            analysis: None,
            error: (status != WorkStatus::Completed).then(|| "no".to_owned()),
        }
    }

    #[test]
    fn the_success_policy_decides_how_many_agents_must_succeed() {
        use WorkStatus::{Completed, Failed, TimedOut};
        let mixed = [ended("a", Completed), ended("b", Failed), ended("c", TimedOut)];
        assert_eq!(policy_failure(&mixed, SuccessPolicy::Any), None);
        let outcome = policy_failure(&mixed, SuccessPolicy::All).expect("one failed");
        assert_eq!(outcome.status, Failed);
        assert_eq!(outcome.error_message.as_deref(), Some("2 of 3 agents failed: b: no; c: no"));
        let late = [ended("a", TimedOut), ended("b", TimedOut)];
        assert_eq!(policy_failure(&late, SuccessPolicy::Any).map(|outcome| outcome.status), Some(TimedOut));
    }
}
