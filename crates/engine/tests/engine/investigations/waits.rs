//! Waits that a provider requests: within the time of the session, visible, and not repeated after a restart.

use std::num::NonZeroU32;
use std::time::Duration;

use tarsy_agent::Setup;
use tarsy_domain::{LivePart, SessionId, SessionStatus, Timestamp};
use tarsy_store::Store;
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines};
use tokio::time::timeout;

use crate::investigations::test_engine::{TIMEOUT, TestEngine};

const CHAIN: &str = "
    stages: [{ name: look, agent: a, llm_provider: a }]
";
const QUICK_SHUTDOWN: &str = "queue: { graceful_shutdown_timeout: 0s, poll_interval: 50ms }";

/// Returns the next text about the progress of a model call.
async fn next_progress(store: &Store, session_id: SessionId) -> String {
    let mut watch = store.session_subscribe(session_id);
    let seen = async {
        loop {
            let texts = watch.take().0;
            if let Some(delta) = texts.into_iter().find(|delta| delta.part == LivePart::ModelProgress) {
                return delta.text;
            }
            watch.changed().await;
        }
    };
    timeout(TIMEOUT, seen).await.unwrap()
}

both_engines! {
    async fn a_requested_wait_that_exceeds_the_session_fails_the_agent_at_once(database) {
        let limited = |_: &ScriptedRequest| ScriptedReply::RetryAfter(7_200);
        let mut engine = TestEngine::start(database, CHAIN, limited).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Failed);
        let error = engine.executions(&session).await[0].error_message.clone().unwrap();
        let (start, end) = ("provider `a` asks to wait 2 h, and only ", " min are left: the provider answered 429: slow down");
        assert!(error.starts_with(start) && error.ends_with(end), "{error}");
        assert_eq!(engine.model.log().len(), 1);
        engine.stop().await;
    }

    async fn later_agents_wait_less_for_a_provider_that_did_not_reply(database) {
        let chain = "
    stages: [{ name: look, agent: a, llm_provider: a }, { name: think, agent: b, llm_provider: a }]
";
        let mut engine = TestEngine::start(database, chain, |_: &ScriptedRequest| ScriptedReply::Error(400)).await;
        let session = engine.investigate("boom").await;
        let mut limits = Vec::new();
        for execution in engine.executions(&session).await {
            let setup = engine.store.setup_fetch(execution.identity.execution_id).await.unwrap().unwrap();
            let setup: Setup = serde_json::from_str(&setup).unwrap();
            limits.push(setup.rules.max_failed_calls.map(NonZeroU32::get));
        }
        assert_eq!(limits, [Some(5), Some(2)]);
        engine.stop().await;
    }

    async fn the_fallback_is_used_instead_of_a_long_wait(database) {
        let chain = "
    fallback_providers: [{ provider: b }]
    stages: [{ name: look, agent: speaks, llm_provider: a }]
";
        let limited = |request: &ScriptedRequest| match request.model.as_str() {
            "a" => ScriptedReply::RetryAfter(7_200),
            model => ScriptedReply::Text(format!("{model} answers.")),
        };
        let mut engine = TestEngine::start(database, chain, limited).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.final_analysis.as_deref(), Some("b answers."), "{:?}", session.error_message);
        engine.stop().await;
    }

    async fn a_wait_is_shown_and_survives_a_restart_without_another_call(database) {
        let limited = |_: &ScriptedRequest| ScriptedReply::RetryAfter(600);
        let mut engine = TestEngine::prepare(database, CHAIN, QUICK_SHUTDOWN, limited).await;
        engine.launch();
        let session_id = engine.submit("boom").await;
        let shown = next_progress(&engine.store, session_id).await;
        assert_eq!(shown, "Waiting 10 min for provider a: rate limit");
        engine.stop().await;
        engine.launch();
        assert_eq!(next_progress(&engine.store, session_id).await, shown);
        assert_eq!(engine.model.log().len(), 1);
        engine.store.session_cancel(session_id, None, Timestamp::now()).await.unwrap();
        assert_eq!(engine.wait_for_end(session_id).await.status, SessionStatus::Cancelled);
        engine.stop().await;
    }

    async fn the_end_of_a_failed_call_is_known_after_a_restart(database) {
        let limited = |_: &ScriptedRequest| ScriptedReply::RetryAfter(600);
        let mut engine = TestEngine::prepare(database, CHAIN, QUICK_SHUTDOWN, limited).await;
        engine.launch();
        let before = Timestamp::now();
        let session_id = engine.submit("boom").await;
        next_progress(&engine.store, session_id).await;
        engine.stop().await;
        let execution_id = engine.store.execution_list(session_id).await.unwrap()[0].identity.execution_id;
        let recorded = engine.store.last_failure_fetch(execution_id).await.unwrap().unwrap();
        assert_eq!((recorded.provider.as_str(), recorded.failure.retry_after_ms), ("a", Some(600_000)));
        assert!(recorded.ended_at >= before && recorded.ended_at <= Timestamp::now().after(Duration::from_secs(1)));
    }
}
