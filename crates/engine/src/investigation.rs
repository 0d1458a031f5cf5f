//! The investigation of a session, from its recorded state to its end: runbook, stages in order, executive
//! summary.

pub(crate) mod chain;
pub(crate) mod early_end;
pub(crate) mod facts;
pub(crate) mod final_text;
pub(crate) mod no_data;
pub(crate) mod results;
pub(crate) mod stage;

use tarsy_agent::StageResult;
use tarsy_config::RulesVersion;
use tarsy_domain::{ExecutionKind, SessionStatus, TimelineEventType, WorkStatus};
use tarsy_store::{NewRunbook, NewTimelineEvent, SessionOutcome, Stage, StageOutcome};
use tracing::{Instrument, info};

use crate::execution::setup::AgentAssignment;
use crate::execution::{EndedExecution, ExecutionJob};
use crate::investigation::chain::{NextStep, SessionConclusion};
use crate::investigation::final_text::has_analysis;
use crate::investigation::no_data::missing_data;
use crate::investigation::results::SessionRecord;
use crate::investigation::stage::StageWork;
use crate::session_work::{MAX_CRASHES, SessionWork, timeline_entry};
use crate::spans;
use crate::stop::StopCause;
use crate::stop::halt::Halt;

impl SessionWork {
    /// Runs the session to its end and records it.
    pub(crate) async fn investigate(&self, crashes: u32) -> Result<(), Halt> {
        let ended = match (self.stop.cause(), crashes) {
            (Some(cause), _) => Err(cause.into()),
            (None, MAX_CRASHES..) => Err(Halt::Broken(self.too_many_crashes(crashes))),
            (None, _) => self.work_through().await,
        };
        let outcome = match ended {
            Ok(outcome) => outcome,
            Err(Halt::Stopped(cause)) => {
                let Some(status) = cause.ending() else { return Err(cause.into()) };
                self.recorder.close_open_work(status, cause.message()).await?;
                self.stopped_outcome(cause).await?
            }
            Err(Halt::Broken(reason)) => {
                self.recorder.close_open_work(WorkStatus::Failed, &reason).await?;
                self.recorder.early_outcome(SessionStatus::Failed, reason).await?
            }
            Err(halt @ Halt::Store(_)) => return Err(halt),
        };
        info!(status = %outcome.status, "session ended");
        self.recorder.finish_session(outcome).await
    }

    async fn work_through(&self) -> Result<SessionOutcome, Halt> {
        let runbook = self.runbook().await?;
        let runbook = Some(runbook.as_str()).filter(|runbook| !runbook.trim().is_empty());
        while self.advance(runbook).await? {}
        let record = SessionRecord::load(&self.resources.store, self.session.session_id).await?;
        let missing_data = self.missing_data(&record.stage_results(&record.stages)?);
        let SessionConclusion { status, final_analysis, error_message } =
            chain::conclude(&record.stages, &record.executions, missing_data.as_deref());
        let has_analysis = record.stages.iter().any(has_analysis);
        let executive_summary = match final_analysis.as_deref().filter(|_| has_analysis) {
            Some(analysis) => self.summarize(analysis).await?,
            None => None,
        };
        Ok(SessionOutcome { status, final_analysis, executive_summary, error_message })
    }

    /// Runs or skips the next stage of the chain; returns `false` if all have ended.
    async fn advance(&self, runbook: Option<&str>) -> Result<bool, Halt> {
        // The last stage may have ended because the work was stopped; then the next one must not start.
        if let Some(cause) = self.stop.cause() {
            return Err(cause.into());
        }
        let mut stages = self.resources.store.stage_list(self.session.session_id).await?;
        match chain::next(&self.chain, &stages, &self.input.alert_data) {
            NextStep::Conclude => return Ok(false),
            NextStep::Skip { index, reason } => self.skip(&stages[index], reason).await?,
            NextStep::Run { index, reason } => {
                let stage = &mut stages[index];
                if stage.status == WorkStatus::Pending {
                    let note = reason.map(|reason| routing_decision(stage, "runs", &reason));
                    self.recorder.begin_stage(stage.stage_id, note).await?;
                    // The status is part of the synthesis prompt, which must not depend on an interruption.
                    stage.status = WorkStatus::Active;
                }
                self.run_stage(&stages, index, runbook).await?;
            }
        }
        Ok(true)
    }

    async fn skip(&self, stage: &Stage, reason: String) -> Result<(), Halt> {
        let note = routing_decision(stage, "is skipped", &reason);
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
        let record = SessionRecord::load(&self.resources.store, self.session.session_id).await?;
        let earlier = record.stage_results(&stages[..index])?;
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

    /// Returns the remaining token budget of the session.
    pub(crate) async fn budget_left(&self) -> Result<Option<u64>, Halt> {
        let Some(budget) = self.chain.token_budget else { return Ok(None) };
        let session = self.resources.store.session_fetch(self.session.session_id).await?;
        let used = session.map(|session| session.usage.total_tokens()).unwrap_or_default();
        Ok(Some(budget.saturating_sub(used)))
    }

    /// Writes the executive summary. Its failure never fails the session.
    async fn summarize(&self, analysis: &str) -> Result<Option<String>, Halt> {
        let recorded = self.resources.store.execution_list(self.session.session_id).await?;
        let job = ExecutionJob {
            kind: ExecutionKind::ExecutiveSummary,
            stage_id: None,
            stage_name: "",
            agent_index: 0,
            agent: &self.chain.executive_summary,
            assignment: AgentAssignment::ExecutiveSummary { analysis },
            budget: self.budget_left().await?,
        };
        let reason = match job.run(self, &recorded, &self.stop).await {
            Ok(EndedExecution { analysis: Some(analysis), .. }) => return Ok(Some(analysis)),
            Ok(EndedExecution { status, error, .. }) => error.unwrap_or_else(|| status.to_string()),
            Err(Halt::Broken(reason)) => reason,
            Err(Halt::Stopped(cause @ StopCause::SessionTimeout)) => cause.message().to_owned(),
            Err(halt) => return Err(halt),
        };
        let warning = format!("The executive summary could not be written: {reason}");
        let warning = timeline_entry(TimelineEventType::Warning, None, warning);
        self.recorder.insert_timeline_entry(warning).await?;
        Ok(None)
    }

    /// Returns why no agent of these stages has got data from a tool, if they should have. `stages` are the
    /// first stages of the chain.
    pub(crate) fn missing_data(&self, stages: &[StageResult]) -> Option<String> {
        if self.chain.rules < RulesVersion::DATA_REQUIRED {
            return None;
        }
        missing_data(&self.chain.stages, stages, &self.selection)
    }

    /// Returns the runbook of the session: fetched once, then read from the record.
    async fn runbook(&self) -> Result<String, Halt> {
        let session_id = self.session.session_id;
        if let Some(recorded) = self.resources.store.runbook_fetch(session_id).await? {
            return Ok(recorded);
        }
        // Boxed, because the future would occupy memory in this one until the session ends.
        let obtained = Box::pin(self.resources.runbooks.obtain(self.input.runbook.as_deref()));
        let obtained = self.stop.unless_stopped(obtained).await?;
        let text = self.mask.mask_alert(obtained.text.unwrap_or_default());
        let note = obtained.warning.map(|warning| timeline_entry(TimelineEventType::Warning, None, warning));
        // Recorded in one transaction: the placeholders in the text refer to these values.
        let (count, masked_values) = self.masked_values()?;
        self.recorder.runbook(NewRunbook { text: text.clone(), note, masked_values }).await?;
        self.masked_values_are_recorded(count);
        Ok(text)
    }

    fn too_many_crashes(&self, crashes: u32) -> String {
        let step = self.session.current_step.as_deref().unwrap_or("before its first step");
        format!(
            "the process crashed {crashes} times in a row at the same step ({step}); the session is not retried"
        )
    }
}

fn routing_decision(stage: &Stage, verb: &str, reason: &str) -> NewTimelineEvent {
    let content = format!("Stage `{}` {verb}: {reason}", stage.name);
    timeline_entry(TimelineEventType::RoutingDecision, Some(stage.stage_id), content)
}
