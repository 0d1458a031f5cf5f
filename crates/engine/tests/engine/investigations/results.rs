//! Long tool results: shortened or summarized for the agent, recorded in full.

use serde_json::json;
use tarsy_domain::{LlmCallKind, LlmErrorKind, SessionStatus, TimelineEventType};
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines};
use tokio::time::timeout;

use crate::investigations::test_engine::{Gate, TIMEOUT, TestEngine};

const CHAIN: &str = "
    stages:
      - { name: look, agent: a, llm_provider: a }
";

/// Returns whether a request is for a summary: a short conversation about one long text.
fn is_summary(request: &ScriptedRequest) -> bool {
    request.messages.len() == 2 && request.text().contains("000123 ")
}

/// Returns the id in the note at the end of a shortened result.
fn id_in(text: &str) -> String {
    let (_, rest) = text.split_once("read_result with id \"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

/// Requests a long log, then one line of it, and concludes. The same model writes the summary.
fn reads(request: &ScriptedRequest) -> ScriptedReply {
    if is_summary(request) {
        return ScriptedReply::Text("It is a long log.".to_owned());
    }
    match (request.model.as_str(), request.results()) {
        ("a", 0) => ScriptedReply::Calls(
            "The log.".to_owned(),
            vec![("shed__log".to_owned(), json!({ "lines": 3000 }))],
        ),
        ("a", 1) => {
            let arguments = json!({ "id": id_in(&request.text()), "pattern": "^002345 ", "context": 0 });
            ScriptedReply::Calls("One line.".to_owned(), vec![("tarsy__read_result".to_owned(), arguments)])
        }
        _ => ScriptedReply::Text("Done.".to_owned()),
    }
}

both_engines! {
    async fn a_long_result_is_summarized_and_can_be_read(database) {
        let mut engine = TestEngine::start(database, CHAIN, reads).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        let summaries = engine.texts(&session, TimelineEventType::McpToolSummary).await;
        assert!(summaries[0].starts_with("It is a long log.\n[This is a summary, written by a model,"), "{summaries:?}");
        let results = engine.texts(&session, TimelineEventType::ToolResult).await;
        assert!(results[0].contains("002345 "), "{results:?}");
        let calls = engine.store.llm_interaction_list(session.session_id).await.unwrap();
        let kinds: Vec<_> = calls.iter().map(|one| one.call.kind.as_str()).collect();
        assert_eq!(kinds, ["iteration", "tool_summary", "iteration", "iteration", "iteration"]);
        let runs = engine.store.mcp_interaction_list(session.session_id).await.unwrap();
        assert_eq!(runs[0].run.result.as_ref().unwrap().lines().count(), 3000, "the full result is recorded");
        engine.stop().await;
    }

    async fn a_failed_summary_falls_back_to_a_reduced_result(database) {
        let fails = |request: &ScriptedRequest| if is_summary(request) { ScriptedReply::Error(400) } else { reads(request) };
        let mut engine = TestEngine::start(database, CHAIN, fails).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        let results = engine.texts(&session, TimelineEventType::ToolResult).await;
        assert!(results[0].contains("read_result") && results[0].len() < 40_000, "{}", results[0].len());
        let calls = engine.store.llm_interaction_list(session.session_id).await.unwrap();
        let failed = calls.iter().find(|one| one.call.kind == LlmCallKind::ToolSummary).unwrap();
        assert_eq!(failed.call.error_kind, Some(LlmErrorKind::InvalidRequest));
        engine.stop().await;
    }

    async fn a_summary_timeout_is_recorded(database) {
        let chain = "
    stages:
      - { name: look, agent: a, llm_provider: a, iteration_timeout: 3s }
";
        let silent = |request: &ScriptedRequest| if is_summary(request) { ScriptedReply::Hang } else { reads(request) };
        let mut engine = TestEngine::start(database, chain, silent).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        let calls = engine.store.llm_interaction_list(session.session_id).await.unwrap();
        let late = calls.iter().find(|one| one.call.kind == LlmCallKind::ToolSummary).unwrap();
        assert_eq!(late.call.error_kind, Some(LlmErrorKind::Timeout));
        engine.stop().await;
    }

    async fn an_undelivered_result_is_summarized_after_an_interruption(database) {
        let gate = Gate::default();
        let closed = gate.clone();
        let script = move |request: &ScriptedRequest| {
            if is_summary(request) { closed.or(reads(request)) } else { reads(request) }
        };
        let queue = "queue: { graceful_shutdown_timeout: 0s, poll_interval: 50ms }";
        let mut engine = TestEngine::prepare(database, CHAIN, queue, script).await;
        engine.launch();
        let session_id = engine.submit("boom").await;
        timeout(TIMEOUT, engine.model.wait_for_requests(2)).await.unwrap();
        engine.stop().await;
        let runs = engine.store.mcp_interaction_list(session_id).await.unwrap();
        assert_eq!(runs.iter().map(|one| one.run.delivered.is_some()).collect::<Vec<_>>(), [false]);

        gate.open();
        engine.launch();
        let session = engine.wait_for_end(session_id).await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(engine.tools.calls().len(), 1, "the tool call is not repeated");
        let summaries = engine.texts(&session, TimelineEventType::McpToolSummary).await;
        assert!(summaries[0].starts_with("It is a long log.\n["), "{summaries:?}");
        assert_eq!(id_in(&summaries[0]), "r1");
        engine.stop().await;
    }
}
