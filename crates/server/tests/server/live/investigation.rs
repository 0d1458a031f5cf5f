//! A session as a worker writes it: texts are streamed, then recorded.

use std::time::Duration;

use tarsy_domain::{ExecutionId, LivePart, SessionId, SessionStatus, Timestamp};
use tarsy_store::{
    ClaimLimit, Lease, LiveText, LiveTextScope, QueueLimit, SessionOutcome, Step, StepPayload, Store,
};
use tarsy_testkit::{execution, model_step, new_session, opening};

pub(crate) struct Investigation {
    pub(crate) store: Store,
    pub(crate) session_id: SessionId,
    lease: Lease,
    execution_id: ExecutionId,
}

/// A reply that is being streamed.
pub(crate) struct Reply {
    step: Step,
    live: LiveText,
}

impl Investigation {
    /// Starts a session.
    pub(crate) async fn begin(store: &Store) -> Self {
        let now = Timestamp::now();
        let mut session = new_session(&SessionId::new().to_string());
        session.stages.clear();
        store.session_insert(session, QueueLimit::Unlimited, now).await.unwrap();
        let hour = Duration::from_secs(3600);
        let claimed = store.queue_claim("w", ClaimLimit::Unlimited, now, hour).await.unwrap().unwrap();
        let (lease, execution) = (claimed.lease, execution());
        let execution_id = execution.execution_id;
        store.execution_begin(lease, execution, opening(), now).await.unwrap();
        Self { store: store.clone(), session_id: lease.session_id, lease, execution_id }
    }

    pub(crate) fn channel(&self) -> String {
        format!("session:{}", self.session_id)
    }

    /// Starts to stream a reply that will be recorded as `text`.
    pub(crate) fn reply(&self, text: &str) -> Reply {
        let step = model_step(self.execution_id, text, Timestamp::now());
        let StepPayload::Model(call) = &step.payload else { panic!("not a model step") };
        let place = LiveTextScope {
            session_id: self.session_id,
            stage_id: None,
            execution_id: self.execution_id,
            interaction_id: call.interaction_id,
        };
        let live = self.store.live_text(place, LivePart::Text);
        Reply { step, live }
    }

    /// Records a reply, then ends its stream.
    pub(crate) async fn record(&self, reply: Reply) {
        self.store.step_record(self.lease, reply.step, Timestamp::now()).await.unwrap();
        drop(reply.live);
    }

    pub(crate) async fn end(&self) {
        let outcome = SessionOutcome {
            status: SessionStatus::Completed,
            final_analysis: Some("Done.".to_owned()),
            executive_summary: None,
            error_message: None,
        };
        self.store.session_finish(self.lease, outcome, Timestamp::now()).await.unwrap();
    }
}

impl Reply {
    pub(crate) fn add(&self, more: &str) {
        self.live.add(more);
    }

    pub(crate) fn restart(&self) {
        self.live.restart("");
    }
}
