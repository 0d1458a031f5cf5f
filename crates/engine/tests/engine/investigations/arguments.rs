//! Tool arguments that are converted by the tool's schema, in both loops.

use serde_json::json;
use tarsy_domain::SessionStatus;
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines};

use crate::investigations::test_engine::TestEngine;

/// Calls a tool with a quoted number, as a function call or as ReAct text.
fn quotes_a_number(request: &ScriptedRequest) -> ScriptedReply {
    let has_result = request.results() > 0 || request.text().contains("000002 ");
    match request.model.as_str() {
        "a" if !has_result => {
            ScriptedReply::Calls(String::new(), vec![("shed__log".to_owned(), json!({ "lines": "3" }))])
        }
        "b" if !has_result => ScriptedReply::Text(
            "Thought: The log.\nAction: shed.log\nAction Input: {\"lines\": \"3\"}".to_owned(),
        ),
        "b" => ScriptedReply::Text("Thought: Enough.\nFinal Answer: Three lines.".to_owned()),
        _ => ScriptedReply::Text("Three lines.".to_owned()),
    }
}

both_engines! {
    async fn a_quoted_number_is_sent_and_recorded_as_a_number(database) {
        for (provider, strategy) in [("a", "native-thinking"), ("b", "react")] {
            let chain = format!("
    stages:
      - {{ name: look, agent: a, llm_provider: {provider}, iteration_strategy: {strategy} }}
");
            let mut engine = TestEngine::start(database, &chain, quotes_a_number).await;
            let session = engine.investigate("boom").await;
            assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
            assert_eq!(engine.tools.calls(), [("log".to_owned(), json!({ "lines": 3 }))], "{strategy}");
            let runs = engine.store.mcp_interaction_list(session.session_id).await.unwrap();
            assert_eq!(runs[0].run.arguments.as_deref(), Some(r#"{"lines":3}"#), "{strategy}");
            engine.stop().await;
        }
    }
}
