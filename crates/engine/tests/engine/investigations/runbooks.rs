//! The runbook of a session: fetched once, masked, and recorded for a resumed session.

use serde_json::json;
use tarsy_domain::{SessionStatus, TimelineEventType};
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines};
use tokio::time::timeout;

use crate::investigations::test_engine::{Gate, TIMEOUT, TestEngine};
use crate::runbook::runbook_server::{RunbookServer, ServedResponse};

const CHAIN: &str = "
    stages:
      - { name: look, agent: a, llm_provider: a }
";

/// Fake secrets in real formats.
const IN_THE_RUNBOOK: &str = "glpat-Zx9Qw3Er7Ty1Ui5Op2As";
const IN_A_RESULT: &str = "glpat-Mn4Bv8Cx2Za6Lk1Jh5Gf";

/// Runbooks come from this server and are not cached. A shutdown parks sessions immediately.
fn settings(server: &RunbookServer) -> String {
    format!(
        "queue: {{ graceful_shutdown_timeout: 0s, poll_interval: 50ms }}
system: {{ runbooks: {{ cache_ttl: 0s, allowed_domains: ['{}'] }} }}",
        server.host
    )
}

both_engines! {
    async fn a_runbook_is_fetched_once_masked_and_recorded(database) {
        let runbook = format!("# Restart\n\ntoken: {IN_THE_RUNBOOK}\n");
        let server = RunbookServer::start([("/restart.md", ServedResponse::text(runbook))]).await;
        let gate = Gate::default();
        let closed = gate.clone();
        let script = move |request: &ScriptedRequest| match (request.model.as_str(), request.results()) {
            ("a", 0) => {
                closed.or(ScriptedReply::Calls("I look.".to_owned(), vec![("shed__leak".to_owned(), json!({}))]))
            }
            _ => ScriptedReply::Text("Done.".to_owned()),
        };
        let mut engine = TestEngine::prepare(database, CHAIN, &settings(&server), script).await;
        engine.tools.plant(&format!("token: {IN_A_RESULT}"));
        engine.launch();
        let address = server.url("/restart.md");
        let session_id = engine.submit_with("boom", |input| input.runbook = Some(address)).await;
        timeout(TIMEOUT, engine.model.wait_for_requests(1)).await.unwrap();
        // Only the runbook is recorded at this point.
        engine.stop().await;
        gate.open();
        engine.launch();
        let session = engine.wait_for_end(session_id).await;

        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(server.requests().len(), 1);
        let log = engine.model.log();
        let last = log.iter().rfind(|request| request.model == "a").unwrap().text();
        assert!(last.contains("# Restart"), "{last}");
        assert!(!last.contains(IN_THE_RUNBOOK) && !last.contains(IN_A_RESULT), "{last}");
        let placeholders: Vec<_> = last.match_indices("[MASKED:").map(|(at, _)| &last[at..]).collect();
        let numbers: Vec<_> = placeholders.iter().map(|text| text.split(['#', ']']).nth(1).unwrap()).collect();
        assert_eq!(numbers, ["1", "2"], "two values have two placeholders: {last}");
        engine.stop().await;
    }

    async fn a_runbook_that_cannot_be_fetched_is_a_warning(database) {
        let server = RunbookServer::start([]).await;
        let done = |_: &ScriptedRequest| ScriptedReply::Text("Done.".to_owned());
        let chain = CHAIN.replace("agent: a", "agent: speaks");
        let mut engine = TestEngine::prepare(database, &chain, &settings(&server), done).await;
        engine.launch();
        let address = server.url("/missing.md");
        let session_id = engine.submit_with("boom", |input| input.runbook = Some(address)).await;
        let session = engine.wait_for_end(session_id).await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        let warnings = engine.texts(&session, TimelineEventType::Warning).await;
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("/missing.md could not be used: "), "{warnings:?}");
        engine.stop().await;
    }
}
