//! Talking to a session after its end.

use serde_json::json;
use tarsy_domain::{ExecutionKind, SessionStatus, TimelineEventType, Timestamp, WorkStatus};
use tarsy_store::CancelOutcome;
use tarsy_testkit::{Asked, Said, both_engines};
use tokio::time::timeout;

use crate::investigations::lab::{Lab, SOON};

const CHAIN: &str = "
    stages:
      - { name: look, agent: a, llm_provider: a }
";

fn answers(asked: &Asked) -> Said {
    match asked.model.as_str() {
        "chats" if asked.results() == 0 => {
            Said::Calls("Let me see.".to_owned(), vec![("shed__look".to_owned(), json!({ "again": true }))])
        }
        "chats" => Said::Text("Because it ran out of memory.".to_owned()),
        _ => Said::Text("The pod restarts.".to_owned()),
    }
}

both_engines! {
    async fn a_question_is_answered_with_everything_that_is_known(database) {
        let mut lab = Lab::start(database, CHAIN, answers).await;
        let session = lab.investigate("the alert itself").await;
        let answer = lab.ask(session.session_id, "Why does it restart?").await;
        assert_eq!(answer, "Because it ran out of memory.");
        let asked = lab.model.log().into_iter().find(|asked| asked.model == "chats").unwrap().text();
        for known in ["the alert itself", "The pod restarts.", "Why does it restart?"] {
            assert!(asked.contains(known), "{known} is missing in {asked}");
        }
        assert_eq!(lab.tools.calls().len(), 1, "it may use the tools of the stages");
        let questions = lab.texts(&session, TimelineEventType::UserQuestion).await;
        assert_eq!(questions, ["Why does it restart?"]);

        lab.ask(session.session_id, "Are you sure?").await;
        let again = lab.model.log().into_iter().rfind(|asked| asked.model == "chats").unwrap().text();
        assert!(again.contains("Why does it restart?") && again.contains("Are you sure?"), "{again}");
        let after = lab.until(session.session_id, |_| true).await;
        assert_eq!((after.status, after.final_analysis), (SessionStatus::Completed, session.final_analysis));
        let executions = lab.executions(&lab.until(session.session_id, |_| true).await).await;
        assert_eq!(executions.iter().filter(|one| one.identity.kind == ExecutionKind::Chat).count(), 2);
        lab.stop().await;
    }

    async fn a_question_that_cannot_be_answered_gets_an_answer_that_says_so(database) {
        let fails = |asked: &Asked| if asked.model == "chats" { Said::Error(400) } else { answers(asked) };
        let mut lab = Lab::start(database, CHAIN, fails).await;
        let session = lab.investigate("boom").await;
        let answer = lab.ask(session.session_id, "Why?").await;
        assert!(answer.starts_with("This question could not be answered: "), "{answer}");
        lab.stop().await;
    }

    async fn an_answer_can_be_stopped(database) {
        let silent = |asked: &Asked| if asked.model == "chats" { Said::Nothing } else { answers(asked) };
        let only_pushes = "queue: { heartbeat_interval: 10m, poll_interval: 50ms }";
        let mut lab = Lab::prepare(database, CHAIN, only_pushes, silent).await;
        lab.begin();
        let session = lab.investigate("boom").await;
        let stop = async {
            timeout(SOON, lab.model.asked(3)).await.unwrap();
            lab.store.session_cancel(session.session_id, None, Timestamp::now()).await.unwrap()
        };
        let (answer, outcome) = tokio::join!(lab.ask(session.session_id, "Why?"), stop);
        assert_eq!(outcome, CancelOutcome::Requested);
        assert_eq!(answer, "This question was not answered: cancelled on request");
        timeout(SOON, lab.model.left(1)).await.unwrap();
        let after = lab.until(session.session_id, |_| true).await;
        assert_eq!(after.status, SessionStatus::Completed);
        let executions = lab.executions(&after).await;
        let chat = executions.iter().find(|one| one.identity.kind == ExecutionKind::Chat).unwrap();
        assert_eq!(chat.status, WorkStatus::Cancelled);
        lab.stop().await;
    }
}
