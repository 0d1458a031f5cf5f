//! A session from wherever it stands to its end: runbook, stages in order, executive summary.

pub(crate) mod chain;
pub(crate) mod closing;
pub(crate) mod facts;
pub(crate) mod results;
pub(crate) mod stage;

use tarsy_agent::StageResult;
use tarsy_domain::{ExecutionKind, SessionStatus, StageId, TimelineEventType, WorkStatus};
use tarsy_store::{NewRunbook, SessionOutcome, Stage, StageOutcome};
use tracing::{Instrument, info};

use crate::execution::Job;
use crate::execution::setup::Assignment;
use crate::investigation::chain::{Conclusion, Next};
use crate::investigation::results::{Trails, stage_result};
use crate::investigation::stage::StageWork;
use crate::spans;
use crate::stop::StopCause;
use crate::stop::halt::Halt;
use crate::work::{MOST_CRASHES, Work, note};

impl Work {
    /// Brings the session to its end.
    pub(crate) async fn investigate(&self, crashes: u32) -> Result<(), Halt> {
        let ended = match (self.stop.cause(), crashes) {
            (Some(cause), _) => Err(cause.into()),
            (None, MOST_CRASHES..) => Err(Halt::Broken(self.too_many_crashes(crashes))),
            (None, _) => self.work_through().await,
        };
        let outcome = match ended {
            Ok(outcome) => outcome,
            Err(Halt::Stopped(cause)) => {
                let Some(status) = cause.ending() else { return Err(cause.into()) };
                self.recorder.close_what_is_open(status, cause.message()).await?;
                self.stopped_outcome(cause).await?
            }
            Err(Halt::Broken(reason)) => {
                self.recorder.close_what_is_open(WorkStatus::Failed, &reason).await?;
                self.recorder.early_outcome(SessionStatus::Failed, reason).await?
            }
            Err(halt @ Halt::Store(_)) => return Err(halt),
        };
        info!(status = %outcome.status, "a session has ended");
        self.recorder.finish_session(outcome).await
    }

    async fn work_through(&self) -> Result<SessionOutcome, Halt> {
        if let Some(reason) = self.an_agent_without_model() {
            return Err(Halt::Broken(reason));
        }
        let runbook = self.runbook().await?;
        let runbook = Some(runbook.as_str()).filter(|runbook| !runbook.trim().is_empty());
        while self.goes_on(runbook).await? {}
        let store = &self.parts.store;
        let stages = store.stage_list(self.session.session_id).await?;
        let executions = store.execution_list(self.session.session_id).await?;
        let Conclusion { status, final_analysis, error_message } = chain::conclude(&stages, &executions);
        let executive_summary = match chain::analysis_of(&stages) {
            Some(analysis) => self.summarise(&analysis).await?,
            None => None,
        };
        Ok(SessionOutcome { status, final_analysis, executive_summary, error_message })
    }

    /// Does the next thing in the chain; answers whether there was one.
    async fn goes_on(&self, runbook: Option<&str>) -> Result<bool, Halt> {
        // What is recorded may be the end of work that was stopped, which is no reason to go on with the rest.
        if let Some(cause) = self.stop.cause() {
            return Err(cause.into());
        }
        let mut stages = self.parts.store.stage_list(self.session.session_id).await?;
        match chain::next(&self.chain, &stages, &self.input.alert_data) {
            Next::Conclude => return Ok(false),
            Next::Skip { index, reason } => self.skip(&stages[index], reason).await?,
            Next::Run { index, reason } => {
                let stage = &mut stages[index];
                if stage.status == WorkStatus::Pending {
                    let note = reason.map(|reason| routing(stage, "runs", &reason));
                    self.recorder.begin_stage(stage.stage_id, note).await?;
                    // The synthesis is told of it, in the same words whether it was interrupted before or not.
                    stage.status = WorkStatus::Active;
                }
                self.run_stage(&stages, index, runbook).await?;
            }
        }
        Ok(true)
    }

    async fn skip(&self, stage: &Stage, reason: String) -> Result<(), Halt> {
        let note = routing(stage, "is skipped", &reason);
        let outcome = StageOutcome {
            status: WorkStatus::Skipped,
            analysis: None,
            error_message: None,
            routing_reason: Some(reason),
        };
        self.recorder.finish_stage(stage.stage_id, outcome, Some(note)).await
    }

    async fn run_stage(&self, stages: &[Stage], index: usize, runbook: Option<&str>) -> Result<(), Halt> {
        let Some(plan) = self.chain.stages.get(index) else {
            return Err(Halt::Broken(format!("the chain has no stage number {}", index + 1)));
        };
        let executions = self.parts.store.execution_list(self.session.session_id).await?;
        let without_trails = Trails::new();
        let earlier: Vec<StageResult> =
            stages[..index].iter().map(|stage| stage_result(stage, &executions, &without_trails)).collect();
        let stage_work = StageWork {
            work: self,
            plan,
            stage: &stages[index],
            earlier: &earlier,
            total: stages.len(),
            runbook,
            budget: self.budget_left().await?,
        };
        stage_work.run().instrument(spans::stage(stage_work.stage)).await
    }

    /// What the session may still use of its tokens.
    pub(crate) async fn budget_left(&self) -> Result<Option<u64>, Halt> {
        let Some(budget) = self.chain.token_budget else { return Ok(None) };
        let session = self.parts.store.session_fetch(self.session.session_id).await?;
        let used = session.map(|session| session.usage.total_tokens()).unwrap_or_default();
        Ok(Some(budget.saturating_sub(used)))
    }

    /// The paragraph for the busy reader. That it cannot be had never fails a session.
    async fn summarise(&self, analysis: &str) -> Result<Option<String>, Halt> {
        let recorded = self.parts.store.execution_list(self.session.session_id).await?;
        let job = Job {
            kind: ExecutionKind::ExecutiveSummary,
            stage_id: None,
            stage_name: "",
            agent_index: 0,
            agent: &self.chain.executive_summary,
            assignment: Assignment::ExecutiveSummary { analysis },
            budget: self.budget_left().await?,
        };
        let why = match job.carry_out(self, &recorded, &self.stop).await {
            Ok(ended) => return Ok(ended.analysis),
            Err(Halt::Broken(reason)) => reason,
            Err(Halt::Stopped(cause @ StopCause::SessionTimeout)) => cause.message().to_owned(),
            Err(halt) => return Err(halt),
        };
        let warning = format!("The executive summary could not be written: {why}");
        self.recorder.note(note(TimelineEventType::Warning, None, warning)).await?;
        Ok(None)
    }

    /// Why an agent of the chain cannot think; nothing if all can.
    fn an_agent_without_model(&self) -> Option<String> {
        let agents = self.chain.stages.iter().flat_map(|stage| stage.agents.iter().chain(&stage.synthesis));
        let faults = agents.filter_map(|agent| self.parts.models.chain(agent).err());
        faults.map(|error| error.in_full()).next()
    }

    /// The runbook of the session: fetched once, then as it was recorded.
    async fn runbook(&self) -> Result<String, Halt> {
        let session_id = self.session.session_id;
        if let Some(recorded) = self.parts.store.runbook_fetch(session_id).await? {
            return Ok(recorded);
        }
        // Boxed, because it is over soon, and its room would be held until the session ends.
        let obtained = Box::pin(self.parts.runbooks.obtain(self.input.runbook.as_deref()));
        let obtained = self.stop.unless_stopped(obtained).await?;
        let text = self.mask.mask_alert(obtained.text.unwrap_or_default());
        let note = obtained.warning.map(|warning| note(TimelineEventType::Warning, None, warning));
        // The placeholders in it belong to these values for ever, so they are recorded together.
        let (seen, masked_values) = self.masked_values()?;
        self.recorder.runbook(NewRunbook { text: text.clone(), note, masked_values }).await?;
        self.masked_values_are_recorded(seen);
        Ok(text)
    }

    async fn stopped_outcome(&self, cause: StopCause) -> Result<SessionOutcome, Halt> {
        let session = self.parts.store.session_fetch(self.session.session_id).await?;
        let by = session.and_then(|session| session.cancel_requested_by);
        let (status, error_message) = match (cause, by) {
            (StopCause::Cancelled, Some(by)) => (SessionStatus::Cancelled, format!("cancelled by {by}")),
            (StopCause::Cancelled, None) => (SessionStatus::Cancelled, cause.message().to_owned()),
            _ => {
                let limit = self.parts.config.queue().session_timeout;
                (SessionStatus::TimedOut, format!("the session took longer than {limit}"))
            }
        };
        self.recorder.early_outcome(status, error_message).await
    }

    fn too_many_crashes(&self, crashes: u32) -> String {
        let step = self.session.current_step.as_deref().unwrap_or("before its first step");
        format!(
            "the process was lost {crashes} times in a row at the same step ({step}), so the session is given up"
        )
    }
}

fn routing(stage: &Stage, verb: &str, reason: &str) -> tarsy_store::NewTimelineEvent {
    let stage_id: StageId = stage.stage_id;
    let content = format!("Stage `{}` {verb}: {reason}", stage.name);
    note(TimelineEventType::RoutingDecision, Some(stage_id), content)
}
