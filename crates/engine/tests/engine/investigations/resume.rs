//! Sessions that are resumed by another worker after they were released or their worker was lost.

use std::time::Duration;

use serde_json::json;
use tarsy_domain::{SessionStatus, TimelineEventType, Timestamp, WorkStatus};
use tarsy_store::{ClaimLimit, ExecutionOpening, NewExecution, StageOutcome};
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines, execution, opening};
use tokio::time::timeout;

use crate::investigations::test_engine::{Gate, TIMEOUT, TestEngine};

const CHAIN: &str = "
    stages:
      - { name: look, agent: a, llm_provider: a }
      - { name: more, agent: b, llm_provider: b }
";

const QUICK_SHUTDOWN: &str =
    "queue: { graceful_shutdown_timeout: 0s, poll_interval: 50ms, heartbeat_interval: 200ms }";

both_engines! {
    async fn a_parked_session_resumes_at_its_next_step(database) {
        let gate = Gate::default();
        let closed = gate.clone();
        let script = move |request: &ScriptedRequest| match (request.model.as_str(), request.results()) {
            ("a" | "b", 0) => ScriptedReply::Calls("I look.".to_owned(), vec![("shed__look".to_owned(), json!({}))]),
            ("b", _) => closed.or(ScriptedReply::Text("b found it.".to_owned())),
            (model, _) => ScriptedReply::Text(format!("{model} found it.")),
        };
        let mut engine = TestEngine::prepare(database, CHAIN, QUICK_SHUTDOWN, script).await;
        engine.launch();
        let session_id = engine.submit("boom").await;
        timeout(TIMEOUT, engine.model.wait_for_requests(4)).await.unwrap();
        engine.stop().await;
        let parked = engine.wait_until(session_id, |_| true).await;
        assert_eq!((parked.status, parked.worker), (SessionStatus::InProgress, None));

        gate.open();
        engine.launch();
        let session = engine.wait_for_end(session_id).await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(session.final_analysis.as_deref(), Some("b found it."));
        // Only the call that was in flight was repeated.
        let request: Vec<_> = engine.model.log().iter().map(|request| (request.model.clone(), request.results())).collect();
        let expected = [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("b", 1), ("sums-up", 0)];
        assert_eq!(request, expected.map(|(model, results)| (model.to_owned(), results)));
        assert_eq!(engine.tools.calls().len(), 2);
        engine.stop().await;
    }

    async fn repeats_only_tool_calls_that_are_safe_to_repeat(database) {
        for (tool, calls) in [("impatient__wait", 2), ("impatient__restart", 1)] {
            let script = move |request: &ScriptedRequest| match (request.model.as_str(), request.results()) {
                ("a", 0) => ScriptedReply::Calls(
                    "I act.".to_owned(),
                    vec![("impatient__wait".to_owned(), json!({})), (tool.to_owned(), json!({}))],
                ),
                (model, _) => ScriptedReply::Text(format!("{model} is done.")),
            };
            let chain = "\n    mcp_servers: [impatient]\n    stages: [{ name: look, agent: a, llm_provider: a }]\n";
            let mut engine = TestEngine::prepare(database, chain, QUICK_SHUTDOWN, script).await;
            engine.launch();
            let session_id = engine.submit("boom").await;
            timeout(TIMEOUT, engine.tools.wait_for_calls(2)).await.unwrap();
            engine.stop().await;
            engine.launch();
            let session = engine.wait_for_end(session_id).await;
            assert_eq!(session.status, SessionStatus::CompletedWithErrors, "no call had a result");
            let made = engine.tools.calls().iter().filter(|(name, _)| tool.ends_with(name.as_str())).count();
            let results = engine.texts(&session, TimelineEventType::ToolResult).await;
            if tool == "impatient__restart" {
                assert_eq!(made, calls);
                assert!(results[1].starts_with("The outcome of this call is unknown"), "{results:?}");
            } else {
                assert_eq!(made, 2 * calls);
            }
            engine.stop().await;
        }
    }

    async fn completed_agents_of_a_stage_are_not_repeated(database) {
        let chain = "
    stages:
      - name: look
        agents: [{ name: speaks, llm_provider: a }, { name: writes, llm_provider: b }]
        synthesis: { llm_provider: merges }
";
        let gate = Gate::default();
        let closed = gate.clone();
        let script = move |request: &ScriptedRequest| match request.model.as_str() {
            "b" => closed.or(ScriptedReply::Text("b found it.".to_owned())),
            model => ScriptedReply::Text(format!("{model} found it.")),
        };
        let mut engine = TestEngine::prepare(database, chain, QUICK_SHUTDOWN, script).await;
        engine.launch();
        let session_id = engine.submit("boom").await;
        timeout(TIMEOUT, engine.model.wait_for_requests(2)).await.unwrap();
        engine.wait_until(session_id, |session| session.llm_interactions == 1).await;
        engine.stop().await;
        gate.open();
        engine.launch();
        let session = engine.wait_for_end(session_id).await;
        assert_eq!(session.final_analysis.as_deref(), Some("merges found it."));
        let request = engine.model.log().iter().filter(|request| request.model == "a").count();
        assert_eq!(request, 1);
        engine.stop().await;
    }

    async fn a_corrupt_journal_fails_the_session_with_an_error_that_names_the_column(database) {
        let mut engine = TestEngine::prepare(database, CHAIN, QUICK_SHUTDOWN, |_: &ScriptedRequest| ScriptedReply::Hang).await;
        let session_id = engine.submit("boom").await;
        let claimed = engine.claim_and_abandon().await;
        let (lease, at) = (claimed.lease, Timestamp::now());
        let stage_id = engine.stages(&claimed.session).await[0].stage_id;
        engine.store.stage_begin(lease, stage_id, None, at).await.unwrap();
        let interrupted = NewExecution { stage_id: Some(stage_id), ..execution() };
        let execution_id = interrupted.execution_id;
        let opening = ExecutionOpening { setup: r#"{"strategy":"#.to_owned(), ..opening() };
        engine.store.execution_begin(lease, interrupted, opening, at).await.unwrap();
        engine.launch();
        let session = engine.wait_for_end(session_id).await;
        assert_eq!(session.status, SessionStatus::Failed);
        let expected = format!("column setup of {execution_id} cannot be read");
        assert!(session.error_message.as_ref().unwrap().contains(&expected), "{session:?}");
        assert_eq!(engine.executions(&session).await[0].status, WorkStatus::Failed);
        assert_eq!(engine.model.log().len(), 0);
        engine.stop().await;
    }

    async fn a_session_that_crashes_its_workers_fails_with_its_findings(database) {
        let mut engine = TestEngine::prepare(database, CHAIN, QUICK_SHUTDOWN, |_: &ScriptedRequest| ScriptedReply::Hang).await;
        let session_id = engine.submit("boom").await;
        let claimed = engine.claim_and_abandon().await;
        let (lease, at) = (claimed.lease, Timestamp::now());
        let stage_id = engine.stages(&claimed.session).await[0].stage_id;
        engine.store.stage_begin(lease, stage_id, None, at).await.unwrap();
        let found = StageOutcome {
            status: WorkStatus::Completed,
            analysis: Some("It was the pod.".to_owned()),
            error_message: None,
            routing_reason: None,
        };
        engine.store.stage_finish(lease, stage_id, found, None, at).await.unwrap();
        engine.claim_and_abandon().await;
        engine.claim_and_abandon().await;
        engine.launch();
        let session = engine.wait_for_end(session_id).await;
        assert_eq!(session.status, SessionStatus::Failed);
        assert!(session.error_message.as_ref().unwrap().contains("crashed 3 times in a row"), "{session:?}");
        assert_eq!(session.final_analysis.as_deref(), Some("It was the pod."));
        assert_eq!(engine.model.log().len(), 0);
        engine.stop().await;
    }

    async fn orphans_are_detected_at_their_own_interval(database) {
        let done = |_: &ScriptedRequest| ScriptedReply::Text("Done.".to_owned());
        let queue = "queue: { poll_interval: 10m, poll_interval_jitter: 0s, orphan_detection_interval: 100ms }";
        let chain = CHAIN.replace("agent: a", "agent: speaks").replace("agent: b", "agent: speaks");
        let mut engine = TestEngine::prepare(database, &chain, queue, done).await;
        let session_id = engine.submit("boom").await;
        let at = Timestamp::now();
        // The worker dies while the engine runs: no notification is sent when the lease expires.
        let lease = Duration::from_secs(1);
        engine.store.queue_claim("gone", ClaimLimit::Unlimited, at, lease).await.unwrap().unwrap();
        engine.launch();
        assert_eq!(engine.wait_for_end(session_id).await.status, SessionStatus::Completed);
        engine.stop().await;
    }

    async fn a_session_with_a_corrupt_chain_fails_with_its_stages(database) {
        let mut engine = TestEngine::prepare(database, CHAIN, QUICK_SHUTDOWN, |_: &ScriptedRequest| ScriptedReply::Hang).await;
        let session_id = engine.submit_with("boom", |input| input.chain_snapshot = "?".to_owned()).await;
        let claimed = engine.claim_and_abandon().await;
        let stage_id = engine.stages(&claimed.session).await[0].stage_id;
        engine.store.stage_begin(claimed.lease, stage_id, None, Timestamp::now()).await.unwrap();
        engine.launch();
        let session = engine.wait_for_end(session_id).await;
        assert_eq!(session.status, SessionStatus::Failed);
        assert!(session.error_message.as_ref().unwrap().contains("chain_snapshot"), "{session:?}");
        let stages: Vec<_> = engine.stages(&session).await.iter().map(|stage| stage.status).collect();
        assert_eq!(stages, [WorkStatus::Failed, WorkStatus::Skipped]);
        assert_eq!((session.stages_done, session.stages_failed), (2, 1));
        engine.stop().await;
    }

    async fn a_stage_that_reached_its_timeout_is_not_restarted(database) {
        let chain = "
    stages:
      - name: look
        agents: [{ name: a, llm_provider: a }, { name: b, llm_provider: b }]
        synthesis: { llm_provider: merges }
        timeout: 1m
";
        let script = |request: &ScriptedRequest| ScriptedReply::Text(format!("{} found it.", request.model));
        let mut engine = TestEngine::prepare(database, chain, QUICK_SHUTDOWN, script).await;
        let session_id = engine.submit("boom").await;
        let claimed = engine.claim_and_abandon().await;
        let stage_id = engine.stages(&claimed.session).await[0].stage_id;
        let long_ago = Timestamp::now().before(Duration::from_secs(120));
        engine.store.stage_begin(claimed.lease, stage_id, None, long_ago).await.unwrap();
        engine.launch();
        let session = engine.wait_for_end(session_id).await;
        assert_eq!(session.status, SessionStatus::Failed);
        let message = "stage `look` ran out of time: the stage took longer than 1m";
        assert_eq!(session.error_message.as_deref(), Some(message));
        assert_eq!(engine.model.log().len(), 0);
        engine.stop().await;
    }
}
