//! What helps models that are small, slow or cut off: short prompts, a first move, few tools.

use serde_json::{Value, json};
use tarsy_domain::{SessionStatus, TimelineEventType, WorkStatus};
use tarsy_store::SessionInput;
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines};

use crate::investigations::test_engine::TestEngine;

const CHAIN: &str = "
    stages:
      - { name: look, agent: a, llm_provider: a }
";

fn says(text: &str) -> ScriptedReply {
    ScriptedReply::Text(text.to_owned())
}

/// Looks once and concludes.
fn looks(request: &ScriptedRequest) -> ScriptedReply {
    match (request.model.as_str(), request.results()) {
        ("a", 0) => ScriptedReply::Calls("I look.".to_owned(), vec![("shed__look".to_owned(), json!({}))]),
        _ => says("Done."),
    }
}

/// Returns the text of the first request to the agent.
fn first_prompt(engine: &TestEngine) -> String {
    engine.model.log().into_iter().find(|request| request.model == "a").unwrap().text()
}

both_engines! {
    async fn a_small_window_selects_short_prompts_and_the_key_overrides_it(database) {
        let configured = "
    stages:
      - { name: look, agents: [{ name: a, llm_provider: a, prompt_profile: full }] }
";
        for (window, chain, is_compact) in [
            (None, CHAIN, false),
            (Some(16_385), CHAIN, false),
            (Some(16_384), CHAIN, true),
            (Some(8_000), configured, false),
        ] {
            let mut engine = TestEngine::with_window(database, window, chain, looks).await;
            engine.launch();
            let session = engine.investigate("boom").await;
            assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
            let text = first_prompt(&engine);
            assert_eq!(!text.contains("## How you work"), is_compact, "{window:?}: {text}");
            assert!(text.ends_with("Nothing has been looked at yet. Begin by calling one tool."), "{text}");
            let executions = engine.executions(&session).await;
            let journal = engine.store.journal_fetch(executions[0].identity.execution_id).await.unwrap();
            let setup: Value = serde_json::from_str(&journal.setup).unwrap();
            assert_eq!(setup["prompt_profile"], if is_compact { "compact" } else { "full" });
            engine.stop().await;
        }
    }

    async fn the_model_catalog_supplies_the_window_of_a_provider(database) {
        let catalog = "models: { a: { context_window: 9000 } }";
        let mut engine = TestEngine::prepare(database, CHAIN, catalog, looks).await;
        engine.launch();
        let session = engine.investigate("boom").await;
        let executions = engine.executions(&session).await;
        let journal = engine.store.journal_fetch(executions[0].identity.execution_id).await.unwrap();
        let setup: Value = serde_json::from_str(&journal.setup).unwrap();
        assert_eq!((&setup["prompt_profile"], &setup["limits"]["context_window"]), (&json!("compact"), &json!(9000)));
        engine.stop().await;
    }

    async fn read_result_is_offered_after_a_result_was_shortened(database) {
        let reads_a_log = |request: &ScriptedRequest| match (request.model.as_str(), request.results()) {
            ("a", 0) => ScriptedReply::Calls(String::new(), vec![("shed__look".to_owned(), json!({}))]),
            ("a", 1) => ScriptedReply::Calls(String::new(), vec![("shed__log".to_owned(), json!({ "lines": 3000 }))]),
            _ => says("Done."),
        };
        let mut engine = TestEngine::start(database, CHAIN, reads_a_log).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        let log = engine.model.log();
        let offers: Vec<bool> = log
            .iter()
            .filter(|request| request.model == "a" && !request.tools.is_empty())
            .map(|request| request.tool_names().contains(&"tarsy__read_result"))
            .collect();
        assert_eq!(offers, [false, false, true]);
        engine.stop().await;
    }

    async fn an_analysis_that_was_cut_off_is_continued(database) {
        let script = |request: &ScriptedRequest| match (request.model.as_str(), request.messages.len()) {
            ("a", 2) => looks(request),
            ("a", 4) => ScriptedReply::CutOff("The disk is fu".to_owned()),
            ("a", _) => says("ll."),
            _ => says("In short."),
        };
        let mut engine = TestEngine::start(database, CHAIN, script).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(session.final_analysis.as_deref(), Some("The disk is full."));
        let execution = &engine.executions(&session).await[0];
        assert_eq!((execution.status, execution.error_message.as_deref()), (WorkStatus::Completed, None));
        engine.stop().await;
    }

    async fn an_analysis_that_stays_incomplete_says_so(database) {
        let script = |request: &ScriptedRequest| match (request.model.as_str(), request.results()) {
            ("a", 0) => looks(request),
            ("a", _) => ScriptedReply::CutOff(format!("Part {}. ", request.messages.len())),
            _ => says("In short."),
        };
        let mut engine = TestEngine::start(database, CHAIN, script).await;
        let session = engine.investigate("boom").await;
        let execution = &engine.executions(&session).await[0];
        assert_eq!(
            execution.error_message.as_deref(),
            Some("the analysis is incomplete: the output limit of the model was reached")
        );
        let analysis = execution.final_analysis.as_deref().unwrap();
        let last = "**This analysis is incomplete:** the output limit of the model was reached, and the rest is missing.";
        assert_eq!(analysis, format!("Part 4. Part 6. Part 8.\n\n{last}"));
        let warnings = engine.texts(&session, TimelineEventType::Warning).await;
        assert!(warnings.last().unwrap().starts_with("The analysis is incomplete"), "{warnings:?}");
        engine.stop().await;
    }

    async fn an_agent_that_concludes_at_once_is_asked_to_call_a_tool(database) {
        let script = |request: &ScriptedRequest| match (request.model.as_str(), request.messages.len()) {
            ("a", 4) => looks(request),
            _ => says("Done."),
        };
        let mut engine = TestEngine::start(database, CHAIN, script).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        let results = engine.texts(&session, TimelineEventType::ToolResult).await;
        assert_eq!(results.len(), 1, "{results:?}");
        let answer = engine.ask(session.session_id, "Is it over?").await;
        assert_eq!(answer, "Done.", "a chat is not asked");
        engine.stop().await;
    }

    async fn a_session_of_the_first_version_keeps_its_rules(database) {
        let mut engine = TestEngine::start(database, CHAIN, |_: &ScriptedRequest| says("Done.")).await;
        let of_first_version = |input: &mut SessionInput| {
            let mut chain: Value = serde_json::from_str(&input.chain_snapshot).unwrap();
            chain.as_object_mut().unwrap().remove("rules").unwrap();
            input.chain_snapshot = chain.to_string();
        };
        let session_id = engine.submit_with("boom", of_first_version).await;
        let session = engine.wait_for_end(session_id).await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(session.final_analysis.as_deref(), Some("Done."));
        engine.stop().await;
    }
}
