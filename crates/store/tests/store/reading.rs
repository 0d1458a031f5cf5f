//! The trace of a session, single interactions, filter options and counts.

use std::time::Duration;

use tarsy_domain::{
    ExecutionId, InteractionId, LlmCallKind, SessionId, SessionStatus, Timestamp, TokenUsage, ToolRunKind,
};
use tarsy_store::{
    Callee, ClaimLimit, FilterOptions, Lease, QueueLimit, Step, StepPayload, Store, TracedCall,
};
use tarsy_testkit::{both_engines, execution, model_step, new_session, opening, tool_step};

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

/// Creates a claimed session with one active execution.
async fn active_execution(store: &Store) -> (Lease, ExecutionId) {
    store.session_insert(new_session("a"), QueueLimit::Unlimited, at(1)).await.unwrap();
    let hour = Duration::from_secs(3600);
    let lease = store.queue_claim("w", ClaimLimit::Unlimited, at(2), hour).await.unwrap().unwrap().lease;
    let execution = execution();
    let execution_id = execution.execution_id;
    store.execution_begin(lease, execution, opening(), at(3)).await.unwrap();
    (lease, execution_id)
}

async fn record(store: &Store, lease: Lease, step: Step, micros: i64) -> InteractionId {
    let interaction_id = match &step.payload {
        StepPayload::Model(call) | StepPayload::Summary { call, .. } => call.interaction_id,
        StepPayload::Tool(run) => run.interaction_id,
        StepPayload::Delivered { .. } => panic!("no call"),
    };
    store.step_record(lease, step, at(micros)).await.unwrap();
    interaction_id
}

both_engines! {
    async fn the_trace_lists_all_calls_in_order_without_their_texts(database) {
        let store = &database.store;
        let (lease, execution_id) = active_execution(store).await;
        let asked = record(store, lease, model_step(execution_id, "I look", at(10)), 15).await;
        let looked = record(store, lease, tool_step(execution_id, "3 pods", at(16)), 28).await;

        let model = Callee::Model {
            kind: LlmCallKind::Iteration,
            iteration: 1,
            provider: "replay".to_owned(),
            model: "recorded".to_owned(),
            usage: TokenUsage { input_tokens: 100, output_tokens: 20, thinking_tokens: 5, cached_tokens: 50 },
            error_kind: None,
        };
        let tool = Callee::Tool {
            kind: ToolRunKind::ToolCall,
            server: "kubernetes-server".to_owned(),
            tool: Some("pods_list".to_owned()),
            tool_call_id: Some("call-1".to_owned()),
        };
        let call = |interaction_id, step, started_at, duration_ms, callee| TracedCall {
            interaction_id,
            execution_id,
            step,
            started_at,
            duration_ms,
            error_message: None,
            callee,
        };
        let expected = [
            call(asked, 1, at(10), 5, model),
            call(looked, 2, at(16), 12, tool),
        ];
        assert_eq!(store.trace_list(lease.session_id).await.unwrap(), expected);
        assert_eq!(store.trace_list(SessionId::new()).await.unwrap(), []);
    }

    async fn a_call_is_only_found_in_its_own_session(database) {
        let store = &database.store;
        let (lease, execution_id) = active_execution(store).await;
        let (session_id, stranger) = (lease.session_id, SessionId::new());
        let asked = record(store, lease, model_step(execution_id, "I look", at(10)), 15).await;
        let looked = record(store, lease, tool_step(execution_id, "3 pods", at(16)), 28).await;

        let model = store.llm_interaction_fetch(session_id, asked).await.unwrap();
        assert_eq!(model.as_ref(), store.llm_interaction_list(session_id).await.unwrap().first());
        let tool = store.mcp_interaction_fetch(session_id, looked).await.unwrap();
        assert_eq!(tool.as_ref(), store.mcp_interaction_list(session_id).await.unwrap().first());
        assert_eq!(tool.unwrap().step, 2);

        assert_eq!(store.llm_interaction_fetch(stranger, asked).await.unwrap(), None);
        assert_eq!(store.llm_interaction_fetch(session_id, looked).await.unwrap(), None);
        assert_eq!(store.mcp_interaction_fetch(stranger, looked).await.unwrap(), None);
        assert_eq!(store.mcp_interaction_fetch(session_id, asked).await.unwrap(), None);
    }

    async fn filter_options_are_the_values_that_occur(database) {
        let store = &database.store;
        assert_eq!(store.session_filter_options().await.unwrap(), FilterOptions::default());
        let senders = [None, Some("zoe"), Some("Ann"), Some("zoe"), Some("ann")];
        for (number, author) in (1..).zip(senders) {
            let mut session = new_session(&format!("s{number}"));
            session.author = author.map(str::to_owned);
            session.alert_type = if number % 2 == 0 { "disk" } else { "memory" }.to_owned();
            store.session_insert(session, QueueLimit::Unlimited, at(number)).await.unwrap();
        }
        let expected = FilterOptions {
            alert_types: vec!["disk".to_owned(), "memory".to_owned()],
            chain_ids: vec!["kubernetes-agent-chain".to_owned()],
            authors: vec!["Ann".to_owned(), "ann".to_owned(), "zoe".to_owned()],
        };
        assert_eq!(store.session_filter_options().await.unwrap(), expected);
    }

    async fn sessions_are_counted_by_status(database) {
        let store = &database.store;
        active_execution(store).await;
        for alert in ["b", "c"] {
            store.session_insert(new_session(alert), QueueLimit::Unlimited, at(5)).await.unwrap();
        }
        let count = async |statuses: &[SessionStatus]| store.session_count(statuses).await.unwrap();
        assert_eq!(count(&[SessionStatus::Pending]).await, 2);
        assert_eq!(count(&[SessionStatus::InProgress, SessionStatus::Pending]).await, 3);
        assert_eq!(count(&[SessionStatus::Failed]).await, 0);
    }
}
