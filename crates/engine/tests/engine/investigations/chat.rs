//! Chat with a session that has ended.

use serde_json::json;
use tarsy_domain::{ExecutionKind, SessionStatus, TimelineEventType, Timestamp, WorkStatus};
use tarsy_store::CancelOutcome;
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines};
use tokio::time::timeout;

use crate::investigations::test_engine::{TIMEOUT, TestEngine};

const CHAIN: &str = "
    stages:
      - { name: look, agent: a, llm_provider: a }
";

fn answers(request: &ScriptedRequest) -> ScriptedReply {
    match request.model.as_str() {
        "chats" if request.results() == 0 => ScriptedReply::Calls(
            "Let me see.".to_owned(),
            vec![("shed__look".to_owned(), json!({ "again": true }))],
        ),
        "chats" => ScriptedReply::Text("Because it ran out of memory.".to_owned()),
        "a" if request.results() == 0 => {
            ScriptedReply::Calls("I look.".to_owned(), vec![("shed__look".to_owned(), json!({}))])
        }
        _ => ScriptedReply::Text("The pod restarts.".to_owned()),
    }
}

both_engines! {
    async fn the_chat_agent_gets_the_investigation_and_earlier_exchanges(database) {
        let mut engine = TestEngine::start(database, CHAIN, answers).await;
        let session = engine.investigate("the alert itself").await;
        let answer = engine.ask(session.session_id, "Why does it restart?").await;
        assert_eq!(answer, "Because it ran out of memory.");
        let request = engine.model.log().into_iter().find(|request| request.model == "chats").unwrap().text();
        for known in ["the alert itself", "The pod restarts.", "Why does it restart?"] {
            assert!(request.contains(known), "{known} is missing in {request}");
        }
        assert_eq!(engine.tools.calls().len(), 2, "the chat agent may use the tools of the stages");
        let questions = engine.texts(&session, TimelineEventType::UserQuestion).await;
        assert_eq!(questions, ["Why does it restart?"]);

        engine.ask(session.session_id, "Are you sure?").await;
        let again = engine.model.log().into_iter().rfind(|request| request.model == "chats").unwrap().text();
        assert!(again.contains("Why does it restart?") && again.contains("Are you sure?"), "{again}");
        let after = engine.wait_until(session.session_id, |_| true).await;
        assert_eq!((after.status, after.final_analysis), (SessionStatus::Completed, session.final_analysis));
        let executions = engine.executions(&engine.wait_until(session.session_id, |_| true).await).await;
        assert_eq!(executions.iter().filter(|one| one.identity.kind == ExecutionKind::Chat).count(), 2);
        engine.stop().await;
    }

    async fn a_failed_answer_is_explained_in_the_chat(database) {
        let fails = |request: &ScriptedRequest| if request.model == "chats" { ScriptedReply::Error(400) } else { answers(request) };
        let mut engine = TestEngine::start(database, CHAIN, fails).await;
        let session = engine.investigate("boom").await;
        let answer = engine.ask(session.session_id, "Why?").await;
        assert!(answer.starts_with("This question could not be answered: "), "{answer}");
        engine.stop().await;
    }

    async fn an_answer_can_be_cancelled(database) {
        let silent = |request: &ScriptedRequest| if request.model == "chats" { ScriptedReply::Hang } else { answers(request) };
        let notifications_only = "queue: { heartbeat_interval: 10m, poll_interval: 50ms }";
        let mut engine = TestEngine::prepare(database, CHAIN, notifications_only, silent).await;
        engine.launch();
        let session = engine.investigate("boom").await;
        let stop = async {
            timeout(TIMEOUT, engine.model.wait_for_requests(4)).await.unwrap();
            engine.store.session_cancel(session.session_id, None, Timestamp::now()).await.unwrap()
        };
        let (answer, outcome) = tokio::join!(engine.ask(session.session_id, "Why?"), stop);
        assert_eq!(outcome, CancelOutcome::Requested);
        assert_eq!(answer, "This question was not answered: cancelled on request");
        timeout(TIMEOUT, engine.model.wait_for_disconnects(1)).await.unwrap();
        let after = engine.wait_until(session.session_id, |_| true).await;
        assert_eq!(after.status, SessionStatus::Completed);
        let executions = engine.executions(&after).await;
        let chat = executions.iter().find(|one| one.identity.kind == ExecutionKind::Chat).unwrap();
        assert_eq!(chat.status, WorkStatus::Cancelled);
        engine.stop().await;
    }
}
