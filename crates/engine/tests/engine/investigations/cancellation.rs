//! Cancellation of a session in each of its states.

use serde_json::json;
use tarsy_domain::{LlmErrorKind, SessionStatus, Timestamp, WorkStatus};
use tarsy_store::{CancelOutcome, ExecutionOutcome, NewExecution};
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines, execution, opening};
use tokio::time::timeout;

use crate::investigations::test_engine::{TIMEOUT, TestEngine};

const CHAIN: &str = "
    stages:
      - { name: look, agent: a, llm_provider: a }
      - { name: more, agent: b, llm_provider: b }
";

/// The heartbeat interval is so long that only a notification or a query delivers a cancellation in time.
const NOTIFICATIONS_ONLY: &str = "queue: { heartbeat_interval: 10m, poll_interval: 50ms }";

async fn cancel(engine: &TestEngine, session_id: tarsy_domain::SessionId) -> CancelOutcome {
    engine.store.session_cancel(session_id, Some("ann".to_owned()), Timestamp::now()).await.unwrap()
}

/// Asserts that the session and everything in it ends as cancelled.
async fn assert_cancelled(engine: &TestEngine, session_id: tarsy_domain::SessionId) {
    let session = engine.wait_for_end(session_id).await;
    assert_eq!(session.status, SessionStatus::Cancelled, "{session:?}");
    assert_eq!(session.error_message.as_deref(), Some("cancelled by ann"));
    let stages: Vec<_> = engine.stages(&session).await.iter().map(|stage| stage.status).collect();
    assert_eq!(stages, [WorkStatus::Cancelled, WorkStatus::Cancelled]);
    let executions = engine.executions(&session).await;
    assert!(executions.iter().all(|one| one.status == WorkStatus::Cancelled), "{executions:?}");
}

both_engines! {
    async fn cancels_a_queued_session(database) {
        let engine = TestEngine::prepare(database, CHAIN, "", |_: &ScriptedRequest| ScriptedReply::Hang).await;
        let session_id = engine.submit("boom").await;
        assert_eq!(cancel(&engine, session_id).await, CancelOutcome::Cancelled);
        let session = engine.wait_for_end(session_id).await;
        assert_eq!(session.status, SessionStatus::Cancelled);
        assert!(engine.stages(&session).await.iter().all(|stage| stage.status == WorkStatus::Cancelled));
    }

    async fn cancels_during_a_model_call(database) {
        let mut engine = TestEngine::prepare(database, CHAIN, NOTIFICATIONS_ONLY, |_: &ScriptedRequest| ScriptedReply::Hang).await;
        engine.launch();
        let session_id = engine.submit("boom").await;
        timeout(TIMEOUT, engine.model.wait_for_requests(1)).await.unwrap();
        assert_eq!(cancel(&engine, session_id).await, CancelOutcome::Requested);
        timeout(TIMEOUT, engine.model.wait_for_disconnects(1)).await.unwrap();
        assert_cancelled(&engine, session_id).await;
        let calls = engine.store.llm_interaction_list(session_id).await.unwrap();
        let kinds: Vec<_> = calls.iter().map(|one| one.call.error_kind).collect();
        assert_eq!(kinds, [Some(LlmErrorKind::Stopped)]);
        engine.stop().await;
    }

    async fn cancels_during_a_tool_call(database) {
        let waits = |_: &ScriptedRequest| ScriptedReply::Calls(String::new(), vec![("shed__wait".to_owned(), json!({}))]);
        let mut engine = TestEngine::prepare(database, CHAIN, NOTIFICATIONS_ONLY, waits).await;
        engine.launch();
        let session_id = engine.submit("boom").await;
        timeout(TIMEOUT, engine.tools.wait_for_calls(1)).await.unwrap();
        cancel(&engine, session_id).await;
        assert_cancelled(&engine, session_id).await;
        engine.stop().await;
    }

    async fn keeps_the_last_text_of_the_model(database) {
        let kept = "**No conclusion was reached.** Stage `look` has no result. The texts of its agents:\n\n\
                    ### a (did not finish; its last text)\n\nIt smells of memory.";
        let script = |_: &ScriptedRequest| {
            ScriptedReply::Calls("It smells of memory.".to_owned(), vec![("shed__wait".to_owned(), json!({}))])
        };
        let quick_shutdown = "queue: { graceful_shutdown_timeout: 0s, poll_interval: 50ms }";
        let mut engine = TestEngine::prepare(database, CHAIN, quick_shutdown, script).await;
        engine.launch();
        let running = engine.submit("boom").await;
        timeout(TIMEOUT, engine.tools.wait_for_calls(1)).await.unwrap();
        cancel(&engine, running).await;
        assert_eq!(engine.wait_for_end(running).await.final_analysis.as_deref(), Some(kept));

        let parked = engine.submit("boom").await;
        timeout(TIMEOUT, engine.tools.wait_for_calls(2)).await.unwrap();
        engine.stop().await;
        cancel(&engine, parked).await;
        engine.launch();
        assert_eq!(engine.wait_for_end(parked).await.final_analysis.as_deref(), Some(kept));
        engine.stop().await;
    }

    async fn cancels_during_a_retry_backoff(database) {
        // The provider is overloaded, and the call is retried with exponential backoff.
        let mut engine = TestEngine::prepare(database, CHAIN, NOTIFICATIONS_ONLY, |_: &ScriptedRequest| ScriptedReply::Error(503)).await;
        engine.launch();
        let session_id = engine.submit("boom").await;
        timeout(TIMEOUT, engine.model.wait_for_requests(2)).await.unwrap();
        cancel(&engine, session_id).await;
        assert_cancelled(&engine, session_id).await;
        engine.stop().await;
    }

    async fn cancels_from_another_process(database) {
        let mut engine = TestEngine::prepare(database, CHAIN, NOTIFICATIONS_ONLY, |_: &ScriptedRequest| ScriptedReply::Hang).await;
        engine.launch();
        let session_id = engine.submit("boom").await;
        timeout(TIMEOUT, engine.model.wait_for_requests(1)).await.unwrap();
        let other = database.another().await;
        other.session_cancel(session_id, Some("ann".to_owned()), Timestamp::now()).await.unwrap();
        assert_cancelled(&engine, session_id).await;
        engine.stop().await;
    }

    async fn cancels_while_the_notification_connection_is_broken(database) {
        let mut engine = TestEngine::prepare(database, CHAIN, NOTIFICATIONS_ONLY, |_: &ScriptedRequest| ScriptedReply::Hang).await;
        engine.launch();
        let session_id = engine.submit("boom").await;
        timeout(TIMEOUT, engine.model.wait_for_requests(1)).await.unwrap();
        let other = database.another().await;
        database.cut_connections().await;
        // The connections of the requesting store are broken too; it retries until it has a new one.
        let request = || other.session_cancel(session_id, Some("ann".to_owned()), Timestamp::now());
        while request().await.is_err() {}
        assert_cancelled(&engine, session_id).await;
        engine.stop().await;
    }

    async fn cancels_an_orphan_before_it_is_resumed(database) {
        let mut engine = TestEngine::prepare(database, CHAIN, NOTIFICATIONS_ONLY, |_: &ScriptedRequest| ScriptedReply::Hang).await;
        let session_id = engine.submit("boom").await;
        engine.claim_and_abandon().await;
        assert_eq!(cancel(&engine, session_id).await, CancelOutcome::Requested);
        engine.launch();
        assert_cancelled(&engine, session_id).await;
        assert_eq!(engine.model.log().len(), 0);
        engine.stop().await;
    }

    async fn cancels_after_only_the_end_of_the_agent_was_recorded(database) {
        let mut engine = TestEngine::prepare(database, CHAIN, NOTIFICATIONS_ONLY, |_: &ScriptedRequest| ScriptedReply::Hang).await;
        let session_id = engine.submit("boom").await;
        let claimed = engine.claim_and_abandon().await;
        let (lease, at) = (claimed.lease, Timestamp::now());
        let stage_id = engine.stages(&claimed.session).await[0].stage_id;
        engine.store.stage_begin(lease, stage_id, None, at).await.unwrap();
        let begun = NewExecution { stage_id: Some(stage_id), ..execution() };
        let execution_id = begun.execution_id;
        engine.store.execution_begin(lease, begun, opening(), at).await.unwrap();
        cancel(&engine, session_id).await;
        let stopped =
            ExecutionOutcome { status: WorkStatus::Cancelled, final_analysis: None, error_message: None };
        engine.store.execution_finish(lease, execution_id, stopped, at).await.unwrap();
        engine.launch();
        assert_cancelled(&engine, session_id).await;
        assert_eq!(engine.model.log().len(), 0);
        engine.stop().await;
    }
}
