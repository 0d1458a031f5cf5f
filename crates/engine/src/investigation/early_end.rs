//! The end of a session that does not come to its end by itself: what is open is closed, what was found is kept.

use tarsy_domain::{SessionStatus, WorkStatus};
use tarsy_store::{ExecutionOutcome, SessionOutcome, StageOutcome};

use crate::execution::driver::last_words;
use crate::investigation::chain;
use crate::recorder::Recorder;
use crate::stop::halt::Halt;

impl Recorder {
    /// Ends what a stopped or broken session, or question, leaves behind.
    pub(crate) async fn close_what_is_open(&self, status: WorkStatus, reason: &str) -> Result<(), Halt> {
        let session_id = self.lease.session_id;
        for execution in self.store.execution_list(session_id).await? {
            if !execution.status.is_terminal() {
                let execution_id = execution.identity.execution_id;
                let journal = self.store.journal_fetch(execution_id).await;
                let outcome = ExecutionOutcome {
                    status,
                    final_analysis: journal.ok().as_ref().and_then(last_words),
                    error_message: Some(reason.to_owned()),
                };
                self.finish_execution(execution_id, outcome).await?;
            }
        }
        for stage in self.store.stage_list(session_id).await? {
            let status = match (stage.status, status) {
                (WorkStatus::Active, status) => status,
                // What never began is cancelled with the rest, or left out.
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

    /// How a session ends that did not come to its end: with what it had found until then.
    pub(crate) async fn early_outcome(
        &self,
        status: SessionStatus,
        error_message: String,
    ) -> Result<SessionOutcome, Halt> {
        let stages = self.store.stage_list(self.lease.session_id).await?;
        let executions = self.store.execution_list(self.lease.session_id).await?;
        Ok(SessionOutcome {
            status,
            final_analysis: chain::analysis_of(&stages).or_else(|| chain::partial(&executions)),
            executive_summary: None,
            error_message: Some(error_message),
        })
    }
}
