//! The end of a session that was stopped or failed: open work is closed, findings are kept.

use tarsy_domain::{ExecutionId, SessionStatus, WorkStatus};
use tarsy_store::{ExecutionOutcome, SessionOutcome, StageOutcome};
use tracing::error;

use crate::execution::history::History;
use crate::investigation::final_text::{final_text, has_analysis, without_data};
use crate::investigation::results::SessionRecord;
use crate::recorder::Recorder;
use crate::session_work::SessionWork;
use crate::stop::StopCause;
use crate::stop::halt::Halt;

impl SessionWork {
    /// Returns the outcome of a session that was stopped, with its findings up to that point.
    pub(crate) async fn stopped_outcome(&self, cause: StopCause) -> Result<SessionOutcome, Halt> {
        let session = self.resources.store.session_fetch(self.session.session_id).await?;
        let by = session.and_then(|session| session.cancel_requested_by);
        let (status, error_message) = match (cause, by) {
            (StopCause::Cancelled, Some(by)) => (SessionStatus::Cancelled, format!("cancelled by {by}")),
            (StopCause::Cancelled, None) => (SessionStatus::Cancelled, cause.message().to_owned()),
            _ => {
                let limit = self.resources.config.queue().session_timeout;
                (SessionStatus::TimedOut, format!("the session took longer than {limit}"))
            }
        };
        let outcome = self.recorder.early_outcome(status, error_message).await?;
        self.say_if_no_data(outcome).await
    }

    /// Says in the text of a session that was stopped if no data was collected: the analysis of an earlier
    /// stage would look like one of the incident. Other texts say that there is no conclusion.
    async fn say_if_no_data(&self, mut outcome: SessionOutcome) -> Result<SessionOutcome, Halt> {
        let Some(text) = &outcome.final_analysis else { return Ok(outcome) };
        match self.missing_data_of_analysis().await {
            Ok(Some(reason)) => outcome.final_analysis = Some(without_data(&reason, text)),
            Ok(None) => {}
            // A corrupt record must not prevent the end of the session.
            Err(Halt::Broken(problem)) => {
                error!(problem, "cannot read the record of a session that is ended");
            }
            Err(halt) => return Err(halt),
        }
        Ok(outcome)
    }

    /// Returns why no data was collected, if a stage has an analysis nevertheless.
    async fn missing_data_of_analysis(&self) -> Result<Option<String>, Halt> {
        let record = SessionRecord::load(&self.resources.store, self.session.session_id).await?;
        if !record.stages.iter().any(has_analysis) {
            return Ok(None);
        }
        Ok(self.missing_data(&record.stage_results(&record.stages)?))
    }
}

impl Recorder {
    /// Ends the executions and stages that a stopped or failed session, or chat question, leaves open.
    pub(crate) async fn close_open_work(&self, status: WorkStatus, reason: &str) -> Result<(), Halt> {
        let session_id = self.lease.session_id;
        for execution in self.store.execution_list(session_id).await? {
            if !execution.status.is_terminal() {
                let execution_id = execution.identity.execution_id;
                let outcome = ExecutionOutcome {
                    status,
                    final_analysis: self.last_text(execution_id).await?,
                    error_message: Some(reason.to_owned()),
                };
                self.finish_execution(execution_id, outcome).await?;
            }
        }
        for stage in self.store.stage_list(session_id).await? {
            let status = match (stage.status, status) {
                (WorkStatus::Active, status) => status,
                // Stages that never started are cancelled with the session, or skipped.
                (WorkStatus::Pending, WorkStatus::Cancelled) => WorkStatus::Cancelled,
                (WorkStatus::Pending, _) => WorkStatus::Skipped,
                _ => continue,
            };
            let outcome = StageOutcome {
                status,
                analysis: None,
                error_message: Some(reason.to_owned()),
                routing_reason: None,
            };
            self.finish_stage(stage.stage_id, outcome, None).await?;
        }
        Ok(())
    }

    /// Returns the last text of an execution. A corrupt journal must not prevent the end of the session, so
    /// it is only logged.
    async fn last_text(&self, execution_id: ExecutionId) -> Result<Option<String>, Halt> {
        let journal = self.store.journal_fetch(execution_id).await;
        match journal.and_then(History::of).map(History::last_text).map_err(Halt::from) {
            Ok(text) => Ok(text),
            Err(Halt::Broken(problem)) => {
                error!(execution.id = %execution_id, problem, "cannot read the journal of an execution that is ended");
                Ok(None)
            }
            Err(halt) => Err(halt),
        }
    }

    /// Returns the outcome of a session that stopped early, with its findings up to that point.
    pub(crate) async fn early_outcome(
        &self,
        status: SessionStatus,
        error_message: String,
    ) -> Result<SessionOutcome, Halt> {
        let stages = self.store.stage_list(self.lease.session_id).await?;
        let executions = self.store.execution_list(self.lease.session_id).await?;
        Ok(SessionOutcome {
            status,
            final_analysis: final_text(&stages, &executions),
            executive_summary: None,
            error_message: Some(error_message),
        })
    }
}
