//! Limits that end an agent, a stage or a session early.

use std::time::Duration;

use serde_json::json;
use tarsy_domain::{LlmErrorKind, SessionStatus, TimelineEventType, WorkStatus};
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines};

use crate::investigations::test_engine::TestEngine;

fn never(request: &ScriptedRequest) -> ScriptedReply {
    if request.model == "a" { ScriptedReply::Hang } else { ScriptedReply::Text("Done.".to_owned()) }
}

both_engines! {
    async fn two_iterations_without_a_reply_time_an_agent_out(database) {
        let chain = "
    stages:
      - { name: look, agent: a, llm_provider: a, iteration_timeout: 1s }
";
        let mut engine = TestEngine::start(database, chain, never).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Failed);
        assert_eq!(engine.stages(&session).await[0].status, WorkStatus::TimedOut);
        assert_eq!(engine.executions(&session).await[0].status, WorkStatus::TimedOut);
        let calls = engine.store.llm_interaction_list(session.session_id).await.unwrap();
        let kinds: Vec<_> = calls.iter().map(|one| one.call.error_kind).collect();
        assert_eq!(kinds, [Some(LlmErrorKind::Timeout), Some(LlmErrorKind::Timeout)]);
        engine.stop().await;
    }

    async fn a_tool_has_its_own_timeout_which_is_a_result(database) {
        let chain = "
    stages:
      - { name: look, agent: a, llm_provider: a, mcp_servers: [impatient], iteration_timeout: 1s }
";
        let waits = |request: &ScriptedRequest| match request.results() {
            0 if request.model == "a" => ScriptedReply::Calls(String::new(), vec![("impatient__wait".to_owned(), json!({}))]),
            _ => ScriptedReply::Text("It does not answer.".to_owned()),
        };
        let mut engine = TestEngine::start(database, chain, waits).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::CompletedWithErrors, "no data was collected");
        let results = engine.texts(&session, TimelineEventType::ToolResult).await;
        assert_eq!(results, ["the tool did not respond within 2 s"]);
        engine.stop().await;
    }

    async fn the_chain_continues_after_a_stage_timeout(database) {
        let chain = "
    stages:
      - { name: look, agent: speaks, llm_provider: a, timeout: 2s }
      - { name: say, agent: speaks, llm_provider: b }
";
        let mut engine = TestEngine::start(database, chain, never).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::CompletedWithErrors);
        assert_eq!(session.error_message.as_deref(), Some("stage `look` ran out of time: the stage took longer than 2s"));
        let stages = engine.stages(&session).await;
        assert_eq!((stages[0].status, stages[1].status), (WorkStatus::TimedOut, WorkStatus::Completed));
        assert_eq!(engine.executions(&session).await[0].status, WorkStatus::TimedOut);
        engine.stop().await;
    }

    async fn a_session_timeout_keeps_the_findings(database) {
        let chain = "
    stages:
      - { name: say, agent: speaks, llm_provider: b }
      - { name: look, agent: a, llm_provider: a }
      - { name: more, agent: c, llm_provider: c }
";
        let queue = "queue: { session_timeout: 6s, poll_interval: 100ms }";
        let mut engine = TestEngine::prepare(database, chain, queue, never).await;
        engine.launch();
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::TimedOut);
        assert_eq!(session.error_message.as_deref(), Some("the session took longer than 6s"));
        let analysis = session.final_analysis.as_deref().unwrap();
        assert!(analysis.starts_with("**No data was collected:**") && analysis.ends_with("\n\nDone."), "{analysis}");
        let stages: Vec<_> = engine.stages(&session).await.iter().map(|stage| stage.status).collect();
        assert_eq!(stages, [WorkStatus::Completed, WorkStatus::TimedOut, WorkStatus::Skipped]);
        engine.stop().await;
    }

    async fn a_spent_token_budget_ends_the_session(database) {
        let chain = "
    token_budget: 250
    stages:
      - { name: look, agent: a, llm_provider: a }
";
        let curious = |request: &ScriptedRequest| {
            let look = json!({ "n": request.results() });
            ScriptedReply::Calls("On and on.".to_owned(), vec![("shed__look".to_owned(), look)])
        };
        let mut engine = TestEngine::start(database, chain, curious).await;
        let session = engine.investigate("boom").await;
        // Each call uses 110 tokens. The last text is the result, labeled as a partial conclusion.
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert!(session.final_analysis.as_ref().unwrap().contains("On and on."), "{session:?}");
        let calls = engine.model.log().iter().filter(|request| request.model == "a").count();
        assert_eq!(calls, 3);
        assert_eq!(engine.model.log().len(), 3, "no budget is left for a summary");
        let cut_short = "stage `look` was cut short: the token budget was used up before the agent concluded";
        assert_eq!(session.error_message.as_deref(), Some(cut_short));
        engine.stop().await;
    }

    async fn the_synthesis_gets_the_rest_of_the_token_budget(database) {
        let chain = "
    token_budget: 220
    stages:
      - name: look
        agents: [{ name: speaks, llm_provider: a }, { name: writes, llm_provider: b }]
        synthesis: { llm_provider: merges }
";
        let mut engine = TestEngine::start(database, chain, |_: &ScriptedRequest| ScriptedReply::Text("It was the pod.".to_owned())).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Failed);
        let message = session.error_message.unwrap();
        assert!(message.ends_with("could not be merged: the token budget was used up before the agent started"), "{message}");
        assert!(session.final_analysis.unwrap().ends_with("It was the pod."));
        assert_eq!(engine.model.log().len(), 2);
        engine.stop().await;
    }

    async fn a_fallback_provider_replaces_a_failed_one(database) {
        let chain = "
    fallback_providers: [{ provider: b }]
    stages:
      - { name: look, agent: speaks, llm_provider: a }
";
        let refuses = |request: &ScriptedRequest| match request.model.as_str() {
            "a" => ScriptedReply::Error(401),
            model => ScriptedReply::Text(format!("{model} answers.")),
        };
        let mut engine = TestEngine::start(database, chain, refuses).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.final_analysis.as_deref(), Some("b answers."));
        let timeline = engine.timeline(&session).await;
        let entry = timeline.iter().find(|event| event.entry.event_type == TimelineEventType::ProviderFallback).unwrap();
        let metadata: serde_json::Value = serde_json::from_str(&entry.entry.metadata).unwrap();
        let reason = metadata["reason"].as_str().unwrap();
        assert!(reason.ends_with(": scripted error"), "{reason}");
        assert_eq!(entry.entry.content, format!("a failed (credentials) and b was called instead: {reason}"));
        let expected = json!({
            "from_provider": "a", "from_model": "a", "to_provider": "b", "to_model": "b",
            "error_kind": "credentials", "reason": reason
        });
        assert_eq!(metadata, expected);
        let call = &engine.store.llm_interaction_list(session.session_id).await.unwrap()[0].call;
        assert_eq!((call.provider.as_str(), call.model.as_str()), ("b", "b"));
        engine.stop().await;
    }

    async fn a_fallback_provider_replaces_one_that_does_not_reply(database) {
        let chain = "
    fallback_providers: [{ provider: b }]
    stages:
      - { name: look, agent: speaks, llm_provider: a, iteration_timeout: 1s }
";
        let mut engine = TestEngine::start(database, chain, never).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        let fallbacks = engine.texts(&session, TimelineEventType::ProviderFallback).await;
        let expected = "a failed (timeout) and b was called instead: the reply was not complete within the time limit of 1 s";
        assert_eq!(fallbacks[0], expected);
        engine.stop().await;
    }

    async fn limits_the_number_of_concurrent_sessions(database) {
        let chain = "
    stages:
      - { name: look, agent: speaks, llm_provider: a }
";
        let slow = |_: &ScriptedRequest| ScriptedReply::Delayed(Duration::from_millis(300), Box::new(ScriptedReply::Text("Done.".to_owned())));
        let queue = "queue: { worker_count: 8, max_concurrent_sessions: 2, poll_interval: 50ms }";
        let mut engine = TestEngine::prepare(database, chain, queue, slow).await;
        for _ in 0..6 {
            engine.submit("boom").await;
        }
        engine.launch();
        let mut peak = 0;
        loop {
            let counts = engine.store.session_counts().await.unwrap();
            peak = peak.max(counts.get(&SessionStatus::InProgress).copied().unwrap_or_default());
            if counts.get(&SessionStatus::Completed) == Some(&6) {
                break;
            }
            tokio::task::yield_now().await;
        }
        assert_eq!(peak, 2);
        engine.stop().await;
    }

    async fn a_summary_without_a_usable_model_does_not_fail_the_session(database) {
        let chain = "
    stages:
      - { name: say, agent: speaks, llm_provider: b }
";
        let mut engine = TestEngine::with_summary_provider(database, "google-default", chain, "", never).await;
        engine.launch();
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!((session.final_analysis.as_deref(), session.executive_summary.as_deref()), (Some("Done."), None));
        let warning = engine.texts(&session, TimelineEventType::Warning).await.pop().unwrap();
        assert!(warning.starts_with("The executive summary could not be written: "), "{warning}");
        assert!(warning.contains("GOOGLE_API_KEY"), "{warning}");
        engine.stop().await;
    }

    async fn a_summary_timeout_does_not_fail_the_session(database) {
        let chain = "
    stages:
      - { name: say, agent: speaks, llm_provider: b }
";
        let silent = |request: &ScriptedRequest| match request.model.as_str() {
            "sums-up" => ScriptedReply::Hang,
            _ => ScriptedReply::Text("Done.".to_owned()),
        };
        let queue = "queue: { session_timeout: 4s, poll_interval: 100ms }";
        let mut engine = TestEngine::prepare(database, chain, queue, silent).await;
        engine.launch();
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(session.final_analysis.as_deref(), Some("Done."));
        let warnings = engine.texts(&session, TimelineEventType::Warning).await;
        assert_eq!(warnings, ["The executive summary could not be written: the session ran out of time"]);
        engine.stop().await;
    }
}
