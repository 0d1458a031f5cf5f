//! Failures of TARSy itself: passed on as operational notes, and reported if no data was collected.

use serde_json::json;
use tarsy_domain::{SessionStatus, Timestamp, WorkStatus};
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines};
use tokio::time::timeout;

use crate::investigations::test_engine::{TIMEOUT, TestEngine};

const TWO_STAGES: &str = "
    stages:
      - { name: collect, agent: a, llm_provider: a }
      - { name: conclude, agent: c, llm_provider: c, iteration_strategy: react-final-analysis }
";

/// Returns the part of a prompt that contains investigation data, and the operational notes.
fn data_and_notes(prompt: &str) -> (&str, &str) {
    let (data, notes) = prompt.split_once("<!-- OPERATIONAL NOTES START").unwrap();
    let (_, data) = data.split_once("<!-- STAGE START").unwrap();
    (data, notes)
}

fn prompt_of(engine: &TestEngine, model: &str) -> String {
    engine.model.log().into_iter().find(|request| request.model == model).unwrap().text()
}

/// The first agent fails with an error of its provider, the others conclude.
fn first_fails(request: &ScriptedRequest) -> ScriptedReply {
    match request.model.as_str() {
        "a" => ScriptedReply::Error(400),
        "sums-up" => ScriptedReply::Text("In short.".to_owned()),
        model => ScriptedReply::Text(format!("{model} found it.")),
    }
}

both_engines! {
    async fn failures_of_agents_are_operational_notes_and_not_data(database) {
        let mut engine = TestEngine::start(database, TWO_STAGES, first_fails).await;
        let session = engine.investigate("boom").await;
        let prompt = prompt_of(&engine, "c");
        let (data, notes) = data_and_notes(&prompt);
        assert!(!data.contains("400") && !data.contains("scripted error"), "{data}");
        assert!(notes.contains("400") && notes.contains("not evidence"), "{notes}");
        assert_eq!(engine.stages(&session).await[0].status, WorkStatus::Failed);
        engine.stop().await;
    }

    async fn a_session_without_any_tool_result_says_so_first(database) {
        let mut engine = TestEngine::start(database, TWO_STAGES, first_fails).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::CompletedWithErrors);
        let analysis = session.final_analysis.clone().unwrap();
        let first = analysis.lines().next().unwrap();
        assert!(first.starts_with("**No data was collected:** none of the agents got a result from a tool ("), "{first}");
        assert!(first.contains("400") && first.ends_with("The following is based on the alert text alone."), "{first}");
        assert!(analysis.ends_with("c found it."), "{analysis}");
        let error = session.error_message.as_deref().unwrap();
        assert!(error.contains("no data was collected"), "{error}");
        assert!(prompt_of(&engine, "c").contains("No data was collected"));
        assert!(prompt_of(&engine, "sums-up").contains("**No data was collected:**"));
        engine.stop().await;
    }

    async fn a_cancelled_session_without_any_tool_result_says_so_first(database) {
        let concludes_at_once = |request: &ScriptedRequest| match request.model.as_str() {
            "c" => ScriptedReply::Hang,
            model => ScriptedReply::Text(format!("{model} found it.")),
        };
        let mut engine = TestEngine::start(database, TWO_STAGES, concludes_at_once).await;
        let session_id = engine.submit("boom").await;
        // The first agent is asked once more to call a tool.
        timeout(TIMEOUT, engine.model.wait_for_requests(3)).await.unwrap();
        engine.store.session_cancel(session_id, Some("ann".to_owned()), Timestamp::now()).await.unwrap();
        let session = engine.wait_for_end(session_id).await;
        assert_eq!(session.status, SessionStatus::Cancelled);
        let analysis = session.final_analysis.unwrap();
        assert!(analysis.starts_with("**No data was collected:**") && analysis.ends_with("a found it."), "{analysis}");
        engine.stop().await;
    }

    async fn a_session_whose_tool_calls_all_failed_has_no_data(database) {
        let fails = |request: &ScriptedRequest| match (request.model.as_str(), request.results()) {
            ("a", 0) => ScriptedReply::Calls(String::new(), vec![("shed__fail".to_owned(), json!({}))]),
            (model, _) => ScriptedReply::Text(format!("{model} found it.")),
        };
        let mut engine = TestEngine::start(database, TWO_STAGES, fails).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::CompletedWithErrors);
        let analysis = session.final_analysis.clone().unwrap();
        assert!(analysis.starts_with("**No data was collected:**") && analysis.contains("1 of 1 tool calls failed"), "{analysis}");
        engine.stop().await;
    }

    async fn an_unavailable_server_is_an_operational_note(database) {
        let down = "  down: { transport: { type: http, url: \"http://127.0.0.1:9/mcp\" } }";
        let answers = |request: &ScriptedRequest| ScriptedReply::Text(format!("{} found it.", request.model));
        let mut engine = TestEngine::with_servers(database, TWO_STAGES, down, answers).await;
        engine.launch();
        let chosen = json!({ "servers": [{ "name": "down" }] });
        let session_id = engine.submit_with("boom", |input| input.mcp_selection = Some(chosen.to_string())).await;
        let session = engine.wait_for_end(session_id).await;
        assert_eq!(session.status, SessionStatus::CompletedWithErrors);
        let prompt = prompt_of(&engine, "c");
        let (data, notes) = data_and_notes(&prompt);
        assert!(!data.contains("`down`") && notes.contains("MCP server `down` "), "{prompt}");
        let analysis = session.final_analysis.unwrap();
        assert!(analysis.lines().next().unwrap().contains("MCP server `down` "), "{analysis}");
        engine.stop().await;
    }

    async fn a_session_without_configured_tools_needs_no_data(database) {
        let chain = "
    stages:
      - { name: say, agent: a, llm_provider: a, iteration_strategy: single-call }
      - { name: conclude, agent: speaks, llm_provider: c }
";
        let answers = |request: &ScriptedRequest| ScriptedReply::Text(format!("{} found it.", request.model));
        let mut engine = TestEngine::start(database, chain, answers).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(session.final_analysis.as_deref(), Some("c found it."));
        assert!(!prompt_of(&engine, "c").contains("No data was collected"));
        engine.stop().await;
    }
}
