//! A secret in a tool result does not reach the model, the record or the events.

use serde_json::json;
use tarsy_domain::{Channel, SessionStatus};
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines};

use crate::investigations::test_engine::TestEngine;

const CHAIN: &str = "
    stages:
      - { name: look, agent: a, llm_provider: a }
      - { name: more, agent: b, llm_provider: b }
";

/// Fake secrets in real formats.
const PLANTED: [&str; 3] = ["AKIAQ4ZX7NTB2YPLM6WD", "glpat-Zx9Qw3Er7Ty1Ui5Op2As", "S3cr3t-Pa55-of-the-shop"];

fn leaks(request: &ScriptedRequest) -> ScriptedReply {
    match request.results() {
        0 if request.model != "sums-up" => ScriptedReply::Calls(
            "I look.".to_owned(),
            vec![("shed__leak".to_owned(), json!({ "by": request.model }))],
        ),
        // Models repeat what they read.
        _ => ScriptedReply::Text(format!(
            "I saw: {}",
            request.messages.last().unwrap()["content"].as_str().unwrap()
        )),
    }
}

both_engines! {
    async fn no_planted_secret_is_recorded_or_sent(database) {
        let mut engine = TestEngine::start(database, CHAIN, leaks).await;
        let [key, token, password] = PLANTED;
        engine.tools.plant(&format!("aws_access_key_id={key}\ntoken: {token}\nDB_PASSWORD={password}\nkeys: {key}"));
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);

        let store = &engine.store;
        let id = session.session_id;
        let mut everything = vec![format!("{session:?}"), format!("{:?}", engine.model.log())];
        everything.push(format!("{:?}", store.timeline_list(id, 0, 1000).await.unwrap()));
        everything.push(format!("{:?}", store.llm_interaction_list(id).await.unwrap()));
        everything.push(format!("{:?}", store.mcp_interaction_list(id).await.unwrap()));
        everything.push(format!("{:?}", store.stage_list(id).await.unwrap()));
        everything.push(format!("{:?}", store.event_list(Channel::Session(id), 0, 1000).await.unwrap()));
        everything.push(format!("{:?}", store.session_input_fetch(id).await.unwrap()));
        for execution in engine.executions(&session).await {
            everything.push(format!("{execution:?}"));
            everything.push(format!("{:?}", store.message_list(execution.identity.execution_id).await.unwrap()));
            everything.push(format!("{:?}", store.journal_fetch(execution.identity.execution_id).await.unwrap()));
        }
        for text in &everything {
            for secret in PLANTED {
                assert!(!text.contains(secret), "{secret} is in {text}");
            }
        }
        // The same value has the same placeholder in all stages of the session.
        let analysis = session.final_analysis.unwrap();
        assert_eq!(analysis.matches("[MASKED:aws_access_key#1]").count(), 2, "{analysis}");
        engine.stop().await;
    }
}
