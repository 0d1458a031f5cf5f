//! One stage: its agents at the same time, then the synthesis of what they found.

use futures_util::future::join_all;
use tarsy_agent::{StagePosition, StageResult, Task, for_reader};
use tarsy_config::ResolvedStage;
use tarsy_domain::{ExecutionKind, SuccessPolicy, Timestamp, WorkStatus};
use tarsy_store::{Execution, Stage, StageOutcome};

use crate::execution::setup::Assignment;
use crate::execution::{Ended, Job};
use crate::investigation::results::{self, Trails, stage_result};
use crate::stop::halt::Halt;
use crate::stop::{Stop, StopCause};
use crate::work::{Work, time_left};

/// A stage that is at work.
pub(crate) struct StageWork<'a> {
    pub(crate) work: &'a Work,
    pub(crate) plan: &'a ResolvedStage,
    pub(crate) stage: &'a Stage,
    /// Stages before it.
    pub(crate) earlier: &'a [StageResult],
    /// How many stages the chain has.
    pub(crate) total: usize,
    pub(crate) runbook: Option<&'a str>,
    /// What it may use of the session's tokens.
    pub(crate) budget: Option<u64>,
}

impl StageWork<'_> {
    /// Runs the stage to its end and records it.
    pub(crate) async fn run(&self) -> Result<(), Halt> {
        let stop = self.work.stop.inner();
        let ended = self.within_its_time(&stop).await;
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

    /// Works, and stops when the stage's time is up. What is under way then is still brought to its end.
    async fn within_its_time(&self, stop: &Stop) -> Result<StageOutcome, Halt> {
        let mut at_work = std::pin::pin!(self.work(stop));
        let Some(limit) = self.plan.timeout else { return at_work.await };
        let interrupted = self.work.session.interrupted;
        let left = time_left(limit.duration(), self.stage.started_at, interrupted, Timestamp::now());
        if !left.is_zero() {
            tokio::select! {
                outcome = &mut at_work => return outcome,
                () = tokio::time::sleep(left) => {}
            }
        }
        stop.stop(StopCause::StageTimeout);
        at_work.await
    }

    async fn work(&self, stop: &Stop) -> Result<StageOutcome, Halt> {
        let recorded = self.work.parts.store.execution_list(self.work.session.session_id).await?;
        let agents = self.run_agents(&recorded, stop).await?;
        let Some(synthesis) = &self.plan.synthesis else { return Ok(of_one(agents)) };
        if let Some(failed) = unsuccessful(&agents, self.plan.success_policy) {
            return Ok(failed);
        }
        self.synthesise(synthesis, stop).await.map(of_synthesis)
    }

    async fn run_agents(&self, recorded: &[Execution], stop: &Stop) -> Result<Vec<Ended>, Halt> {
        let count = self.plan.agents.len() as u64;
        let budget = self.budget.map(|budget| budget / count.max(1));
        let earlier: Vec<_> =
            self.plan.agents.iter().map(|agent| for_reader(agent.iteration_strategy, self.earlier)).collect();
        let jobs: Vec<Job<'_>> = (0..)
            .zip(self.plan.agents.iter().zip(&earlier))
            .map(|(agent_index, (agent, earlier))| Job {
                kind: ExecutionKind::Agent,
                stage_id: Some(self.stage.stage_id),
                stage_name: &self.stage.name,
                agent_index,
                agent,
                assignment: self.assignment(earlier.as_ref()),
                budget,
            })
            .collect();
        let ended = join_all(jobs.iter().map(|job| self.one_of_many(job, recorded, stop))).await;
        first_trouble(ended)
    }

    /// Somebody who cannot go on takes the others along, unless it was stopped together with them.
    async fn one_of_many(&self, job: &Job<'_>, recorded: &[Execution], stop: &Stop) -> Result<Ended, Halt> {
        let ended = job.carry_out(self.work, recorded, stop).await;
        if let Err(Halt::Store(_) | Halt::Broken(_)) = &ended {
            stop.stop(StopCause::Parked);
        }
        ended
    }

    async fn synthesise(&self, agent: &tarsy_config::ResolvedAgent, stop: &Stop) -> Result<Ended, Halt> {
        let store = &self.work.parts.store;
        let session_id = self.work.session.session_id;
        let recorded = store.execution_list(session_id).await?;
        let trails: Trails = results::trails(store, session_id).await?;
        let merged = [stage_result(self.stage, &recorded, &trails)];
        let earlier = for_reader(agent.iteration_strategy, &merged);
        let job = Job {
            kind: ExecutionKind::Synthesis,
            stage_id: Some(self.stage.stage_id),
            stage_name: &self.stage.name,
            agent_index: 0,
            agent,
            assignment: self.assignment(earlier.as_ref()),
            // The agents have used some of it since the stage began.
            budget: self.work.budget_left().await?,
        };
        job.carry_out(self.work, &recorded, stop).await
    }

    fn assignment<'a>(&'a self, earlier: Option<&'a tarsy_agent::HandedOn>) -> Assignment<'a> {
        let number = usize::try_from(self.stage.stage_index).unwrap_or(usize::MAX).saturating_add(1);
        let task = Task::Stage(StagePosition { name: &self.stage.name, number, total: self.total });
        Assignment::Task { task, earlier, runbook: self.runbook }
    }
}

/// All ends, or the trouble that counts most: what broke, before what was only stopped.
fn first_trouble(ended: Vec<Result<Ended, Halt>>) -> Result<Vec<Ended>, Halt> {
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

fn of_one(agents: Vec<Ended>) -> StageOutcome {
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

fn of_synthesis(ended: Ended) -> StageOutcome {
    // A result may come with what it had to make do without.
    let is_merged = ended.status == WorkStatus::Completed;
    let explained =
        |error| if is_merged { error } else { format!("the results could not be merged: {error}") };
    let error_message = ended.error.map(explained);
    StageOutcome { status: ended.status, analysis: ended.analysis, error_message, routing_reason: None }
}

/// Why a stage of several agents has failed; nothing if enough of them succeeded.
fn unsuccessful(agents: &[Ended], policy: SuccessPolicy) -> Option<StageOutcome> {
    let failed: Vec<&Ended> = agents.iter().filter(|agent| agent.status != WorkStatus::Completed).collect();
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

    fn ended(agent: &str, status: WorkStatus) -> Ended {
        Ended {
            execution_id: tarsy_domain::ExecutionId::new(),
            agent: agent.to_owned(),
            status,
            analysis: None,
            error: (status != WorkStatus::Completed).then(|| "no".to_owned()),
        }
    }

    #[test]
    fn the_policy_says_how_many_must_succeed() {
        use WorkStatus::{Completed, Failed, TimedOut};
        let mixed = [ended("a", Completed), ended("b", Failed), ended("c", TimedOut)];
        assert_eq!(unsuccessful(&mixed, SuccessPolicy::Any), None);
        let outcome = unsuccessful(&mixed, SuccessPolicy::All).expect("one failed");
        assert_eq!(outcome.status, Failed);
        assert_eq!(outcome.error_message.as_deref(), Some("2 of 3 agents failed: b: no; c: no"));
        let late = [ended("a", TimedOut), ended("b", TimedOut)];
        assert_eq!(unsuccessful(&late, SuccessPolicy::Any).map(|outcome| outcome.status), Some(TimedOut));
    }
}
