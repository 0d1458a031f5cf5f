//! The end of a session that was stopped or failed: open work is closed, findings are kept.

use tarsy_domain::{ExecutionId, SessionStatus, WorkStatus};
use tarsy_store::{ExecutionOutcome, SessionOutcome, StageOutcome};
use tracing::error;

use crate::execution::history::History;
use crate::investigation::final_text::final_text;
use crate::recorder::Recorder;
use crate::stop::halt::Halt;

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
