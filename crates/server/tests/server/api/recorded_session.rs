//! Sessions with recorded executions, written as the engine writes them.

use std::time::Duration;

use axum::http::StatusCode;
use tarsy_domain::{
    ExecutionId, ExecutionKind, InteractionId, Message, MessageId, ModelFailure, ModelFailureKind, SessionId,
    SessionStatus, StageId, Timestamp, TokenUsage, WorkStatus,
};
use tarsy_store::{
    ClaimLimit, ExecutionOpening, ExecutionOutcome, Lease, LlmResponse, NewExecution, NewMessage, QueueLimit,
    SessionOutcome, StageOutcome, Step, StepPayload,
};
use tarsy_testkit::{alert_for, execution, model_step, opening, tool_step};

use super::app::TestApp;

/// A session and the ids of its records.
pub(crate) struct Recorded {
    pub(crate) session_id: SessionId,
    pub(crate) lease: Lease,
    pub(crate) stage_id: StageId,
    pub(crate) execution_id: ExecutionId,
    pub(crate) model_call: InteractionId,
    pub(crate) tool_call: InteractionId,
    pub(crate) failed_call: InteractionId,
}

pub(crate) fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

impl TestApp {
    /// Submits an alert.
    pub(crate) async fn submit(&self, alert_id: &str, micros: i64) -> SessionId {
        let chain = self.config.chain_for_alert_type("kubernetes").unwrap();
        let mut session = alert_for(&chain, &format!("Pod restarts: {alert_id}"));
        session.alert_id = alert_id.to_owned();
        let session_id = session.session_id;
        self.store().session_insert(session, QueueLimit::Unlimited, at(micros)).await.unwrap();
        session_id
    }

    /// Creates a session that a worker has claimed, and returns its first stage.
    pub(crate) async fn claimed(&self, alert_id: &str) -> (Lease, StageId) {
        let store = self.store();
        let session_id = self.submit(alert_id, 1_000).await;
        let hour = Duration::from_secs(3600);
        let lease =
            store.queue_claim("w", ClaimLimit::Unlimited, at(2_000), hour).await.unwrap().unwrap().lease;
        assert_eq!(lease.session_id, session_id);
        (lease, store.stage_list(session_id).await.unwrap()[0].stage_id)
    }

    /// Creates a running session with a model call, a tool call and a failed model call.
    pub(crate) async fn running(&self, alert_id: &str) -> Recorded {
        let store = self.store();
        let (lease, stage_id) = self.claimed(alert_id).await;
        let session_id = lease.session_id;
        store.stage_begin(lease, stage_id, None, at(3_000)).await.unwrap();
        let execution = NewExecution { stage_id: Some(stage_id), ..execution() };
        let execution_id = execution.execution_id;
        let messages = [Message::system("You look."), Message::user("Pod restarts.")];
        let messages = messages.map(|message| NewMessage { message_id: MessageId::new(), message }).to_vec();
        store
            .execution_begin(lease, execution, ExecutionOpening { messages, ..opening() }, at(4_000))
            .await
            .unwrap();

        let mut thought = model_step(execution_id, "I look at the pods.", at(5_000));
        if let StepPayload::Model(call) = &mut thought.payload {
            call.request = r#"{"messages":{"through":2}}"#.to_owned();
        }
        let model_call = self.record(lease, thought, 10_000).await;
        let tool_call =
            self.record(lease, tool_step(execution_id, "three pods are down", at(11_000)), 23_000).await;
        let failed_call = self.record(lease, failed(execution_id), 30_000).await;
        Recorded { session_id, lease, stage_id, execution_id, model_call, tool_call, failed_call }
    }

    /// Creates a completed session.
    pub(crate) async fn completed(&self, alert_id: &str) -> Recorded {
        let recorded = self.running(alert_id).await;
        let Recorded { session_id, lease, stage_id, execution_id, .. } = recorded;
        let store = self.store();
        let found = Some("It runs out of memory.".to_owned());
        let outcome = ExecutionOutcome {
            status: WorkStatus::Completed,
            final_analysis: found.clone(),
            error_message: None,
        };
        store.execution_finish(lease, execution_id, outcome, at(40_000)).await.unwrap();
        let outcome = StageOutcome {
            status: WorkStatus::Completed,
            analysis: found.clone(),
            error_message: None,
            routing_reason: None,
        };
        store.stage_finish(lease, stage_id, outcome, None, at(41_000)).await.unwrap();
        let summary = NewExecution {
            kind: ExecutionKind::ExecutiveSummary,
            agent_name: "ExecSummaryAgent".to_owned(),
            ..execution()
        };
        let summary_id = summary.execution_id;
        store.execution_begin(lease, summary, opening(), at(42_000)).await.unwrap();
        self.record(lease, model_step(summary_id, "Memory.", at(43_000)), 44_000).await;
        let outcome = ExecutionOutcome {
            status: WorkStatus::Completed,
            final_analysis: Some("Memory.".to_owned()),
            error_message: None,
        };
        store.execution_finish(lease, summary_id, outcome, at(45_000)).await.unwrap();
        let outcome = SessionOutcome {
            status: SessionStatus::Completed,
            final_analysis: found,
            executive_summary: Some("Memory.".to_owned()),
            error_message: None,
        };
        store.session_finish(lease, outcome, at(50_000)).await.unwrap();
        let status = self.get(&format!("/api/v1/sessions/{session_id}/status")).await;
        assert_eq!(status.status, StatusCode::OK);
        recorded
    }

    async fn record(&self, lease: Lease, step: Step, micros: i64) -> InteractionId {
        let interaction_id = match &step.payload {
            StepPayload::Model(call) | StepPayload::Summary { call, .. } => call.interaction_id,
            StepPayload::Tool(run) => run.interaction_id,
            StepPayload::Delivered { .. } => panic!("no call"),
        };
        self.store().step_record(lease, step, at(micros)).await.unwrap();
        interaction_id
    }
}

/// Returns a model call that failed after a partial reply, in a conversation whose fourth message was
/// replaced by a stub.
fn failed(execution_id: ExecutionId) -> Step {
    let mut step = model_step(execution_id, "The provider is overloaded.", at(24_000));
    let failure = ModelFailure {
        retry_after_ms: None,
        kind: ModelFailureKind::Overloaded,
        message: "The provider is overloaded.".to_owned(),
        partial_text: "It is".to_owned(),
        usage: TokenUsage::default(),
    };
    if let StepPayload::Model(call) = &mut step.payload {
        call.request =
            r#"{"messages":{"through":4,"replaced":[{"sequence":4,"content":"[left out]"}]}}"#.to_owned();
        call.response = Some(LlmResponse::Failure(failure.clone()));
        call.error_kind = Some(failure.kind.into());
        call.error_message = Some(failure.message);
    }
    step
}
