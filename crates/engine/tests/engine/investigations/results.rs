//! Long results of tools: shortened or summarised for the agent, kept in full for whoever asks.

use serde_json::json;
use tarsy_domain::{LlmCallKind, LlmErrorKind, SessionStatus, TimelineEventType};
use tarsy_testkit::{Asked, Said, both_engines};

use crate::investigations::lab::Lab;

const CHAIN: &str = "
    stages:
      - { name: look, agent: a, llm_provider: a }
";

/// A conversation about one long text and nothing else.
fn is_summary(asked: &Asked) -> bool {
    asked.messages.len() == 2 && asked.text().contains("000123 ")
}

/// The id that the note at the end of a shortened result names.
fn id_in(text: &str) -> String {
    let (_, rest) = text.split_once("read_result with id \"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

/// Asks for a long log, then for a line of it, and is done. A summary is asked of the same model.
fn reads(asked: &Asked) -> Said {
    if is_summary(asked) {
        return Said::Text("It is a long log.".to_owned());
    }
    match (asked.model.as_str(), asked.results()) {
        ("a", 0) => {
            Said::Calls("The log.".to_owned(), vec![("shed__log".to_owned(), json!({ "lines": 3000 }))])
        }
        ("a", 1) => {
            let arguments = json!({ "id": id_in(&asked.text()), "pattern": "^002345 ", "context": 0 });
            Said::Calls("One line.".to_owned(), vec![("tarsy__read_result".to_owned(), arguments)])
        }
        _ => Said::Text("Done.".to_owned()),
    }
}

both_engines! {
    async fn a_long_result_is_summarised_and_can_be_read(database) {
        let mut lab = Lab::start(database, CHAIN, reads).await;
        let session = lab.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        let summaries = lab.texts(&session, TimelineEventType::McpToolSummary).await;
        assert!(summaries[0].starts_with("It is a long log.\n[A model's summary"), "{summaries:?}");
        let results = lab.texts(&session, TimelineEventType::ToolResult).await;
        assert!(results[0].contains("002345 "), "{results:?}");
        let calls = lab.store.llm_interaction_list(session.session_id).await.unwrap();
        let kinds: Vec<_> = calls.iter().map(|one| one.call.kind.as_str()).collect();
        assert_eq!(kinds, ["iteration", "tool_summary", "iteration", "iteration", "iteration"]);
        let runs = lab.store.mcp_interaction_list(session.session_id).await.unwrap();
        assert_eq!(runs[0].run.result.as_ref().unwrap().lines().count(), 3000, "the record has all of it");
        lab.stop().await;
    }

    async fn a_summary_that_fails_leaves_less_of_the_result(database) {
        let fails = |asked: &Asked| if is_summary(asked) { Said::Error(400) } else { reads(asked) };
        let mut lab = Lab::start(database, CHAIN, fails).await;
        let session = lab.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        let results = lab.texts(&session, TimelineEventType::ToolResult).await;
        assert!(results[0].contains("read_result") && results[0].len() < 40_000, "{}", results[0].len());
        let calls = lab.store.llm_interaction_list(session.session_id).await.unwrap();
        let failed = calls.iter().find(|one| one.call.kind == LlmCallKind::ToolSummary).unwrap();
        assert_eq!(failed.call.error_kind, Some(LlmErrorKind::InvalidRequest));
        lab.stop().await;
    }

    async fn a_summary_that_takes_too_long_is_in_the_record(database) {
        let chain = "
    stages:
      - { name: look, agent: a, llm_provider: a, iteration_timeout: 3s }
";
        let silent = |asked: &Asked| if is_summary(asked) { Said::Nothing } else { reads(asked) };
        let mut lab = Lab::start(database, chain, silent).await;
        let session = lab.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        let calls = lab.store.llm_interaction_list(session.session_id).await.unwrap();
        let late = calls.iter().find(|one| one.call.kind == LlmCallKind::ToolSummary).unwrap();
        assert_eq!(late.call.error_kind, Some(LlmErrorKind::Timeout));
        lab.stop().await;
    }
}
