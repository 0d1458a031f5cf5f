//! A secret that a tool shows is seen by nobody: not by the model, not in the record, not in what watchers are told.

use serde_json::json;
use tarsy_domain::{Channel, SessionStatus};
use tarsy_testkit::{Asked, Said, both_engines};

use crate::investigations::lab::Lab;

const CHAIN: &str = "
    stages:
      - { name: look, agent: a, llm_provider: a }
      - { name: more, agent: b, llm_provider: b }
";

/// Shaped like secrets, and nobody's.
const PLANTED: [&str; 3] = ["AKIAQ4ZX7NTB2YPLM6WD", "glpat-Zx9Qw3Er7Ty1Ui5Op2As", "S3cr3t-Pa55-of-the-shop"];

fn leaks(asked: &Asked) -> Said {
    match asked.results() {
        0 if asked.model != "sums-up" => {
            Said::Calls("I look.".to_owned(), vec![("shed__leak".to_owned(), json!({ "by": asked.model }))])
        }
        // A model likes to repeat what it saw.
        _ => Said::Text(format!("I saw: {}", asked.messages.last().unwrap()["content"].as_str().unwrap())),
    }
}

both_engines! {
    async fn no_planted_secret_survives_anywhere(database) {
        let mut lab = Lab::start(database, CHAIN, leaks).await;
        let [key, token, password] = PLANTED;
        lab.tools.plant(&format!("aws_access_key_id={key}\ntoken: {token}\nDB_PASSWORD={password}\nkeys: {key}"));
        let session = lab.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);

        let store = &lab.store;
        let id = session.session_id;
        let mut everything = vec![format!("{session:?}"), format!("{:?}", lab.model.log())];
        everything.push(format!("{:?}", store.timeline_list(id, 0, 1000).await.unwrap()));
        everything.push(format!("{:?}", store.llm_interaction_list(id).await.unwrap()));
        everything.push(format!("{:?}", store.mcp_interaction_list(id).await.unwrap()));
        everything.push(format!("{:?}", store.stage_list(id).await.unwrap()));
        everything.push(format!("{:?}", store.event_list(Channel::Session(id), 0, 1000).await.unwrap()));
        everything.push(format!("{:?}", store.session_input_fetch(id).await.unwrap()));
        for execution in lab.executions(&session).await {
            everything.push(format!("{execution:?}"));
            everything.push(format!("{:?}", store.message_list(execution.identity.execution_id).await.unwrap()));
            everything.push(format!("{:?}", store.journal_fetch(execution.identity.execution_id).await.unwrap()));
        }
        for text in &everything {
            for secret in PLANTED {
                assert!(!text.contains(secret), "{secret} is in {text}");
            }
        }
        // The same value has the same name wherever it is seen, in all stages of the session.
        let analysis = session.final_analysis.unwrap();
        assert_eq!(analysis.matches("[MASKED:aws_access_key#1]").count(), 2, "{analysis}");
        lab.stop().await;
    }
}
