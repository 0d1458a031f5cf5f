//! The chat about a session that has ended.

use std::time::Duration;

use tarsy_domain::{ChatMessageId, SessionId, SessionStatus, Timestamp};
use tarsy_store::{
    AskOutcome, CancelOutcome, ChatMessage, ClaimLimit, Claimed, LeaseState, QueueLimit, SessionOutcome,
    Store, StoreError,
};
use tarsy_testkit::{both_engines, new_session};

const LEASE: Duration = Duration::from_micros(100);

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

async fn claim(store: &Store, micros: i64) -> Option<Claimed> {
    store.queue_claim("w", ClaimLimit::Unlimited, at(micros), LEASE).await.unwrap()
}

async fn completed_session(store: &Store) -> SessionId {
    let session = new_session("a");
    let session_id = session.session_id;
    store.session_insert(session, QueueLimit::Unlimited, at(1)).await.unwrap();
    let outcome = SessionOutcome {
        status: SessionStatus::Completed,
        final_analysis: Some("It ran out of memory.".to_owned()),
        executive_summary: None,
        error_message: None,
    };
    store.session_finish(claim(store, 2).await.unwrap().lease, outcome, at(3)).await.unwrap();
    session_id
}

fn chat_message(author: Option<&str>, content: &str, micros: i64) -> ChatMessage {
    ChatMessage {
        chat_message_id: ChatMessageId::new(),
        author: author.map(str::to_owned),
        execution_id: None,
        content: content.to_owned(),
        created_at: at(micros),
    }
}

both_engines! {
    async fn a_question_makes_the_session_claimable_until_it_is_answered(database) {
        let store = &database.store;
        let session_id = completed_session(store).await;
        let (question, answer) = (chat_message(Some("ann"), "Why did it restart?", 60), chat_message(None, "Memory.", 63));

        assert_eq!(store.chat_ask(session_id, question.clone()).await.unwrap(), AskOutcome::Asked(1));
        let again = store.chat_ask(session_id, chat_message(Some("bob"), "And now?", 61)).await.unwrap();
        assert_eq!(again, AskOutcome::Unanswered);
        let claimed = claim(store, 62).await.unwrap();
        assert_eq!((claimed.session.session_id, claimed.session.status), (session_id, SessionStatus::Completed));
        assert_eq!(claimed.session.interrupted, Duration::ZERO, "the investigation had ended");
        assert_eq!(store.chat_answer(claimed.lease, answer.clone()).await.unwrap(), 2);

        assert_eq!(store.chat_message_list(session_id).await.unwrap(), [question, answer.clone()]);
        assert_eq!(claim(store, 900).await, None);
        let late = store.chat_answer(claimed.lease, answer).await;
        assert!(matches!(late, Err(StoreError::LeaseLost { .. })));
    }

    async fn another_worker_answers_after_a_crash(database) {
        let store = &database.store;
        let session_id = completed_session(store).await;
        store.chat_ask(session_id, chat_message(Some("ann"), "Why?", 60)).await.unwrap();
        let lost = claim(store, 61).await.unwrap();
        let next = claim(store, 200).await.unwrap();
        assert_eq!((next.session.session_id, next.crashes), (session_id, 1));
        let late = store.chat_answer(lost.lease, chat_message(None, "Late.", 201)).await;
        assert!(matches!(late, Err(StoreError::LeaseLost { .. })));
        store.chat_answer(next.lease, chat_message(None, "In time.", 202)).await.unwrap();
        let next_question = store.chat_ask(session_id, chat_message(Some("ann"), "And?", 203)).await.unwrap();
        assert_eq!(next_question, AskOutcome::Asked(3));
    }

    async fn only_one_of_several_concurrent_questions_is_accepted(database) {
        let store = &database.store;
        let session_id = completed_session(store).await;
        let questions: Vec<_> = (0..16)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move { store.chat_ask(session_id, chat_message(Some("x"), "?", 60)).await })
            })
            .collect();
        let mut asked = Vec::new();
        for question in questions {
            asked.push(question.await.unwrap().unwrap());
        }
        assert_eq!(asked.iter().filter(|outcome| **outcome == AskOutcome::Asked(1)).count(), 1);
        assert_eq!(asked.iter().filter(|outcome| **outcome == AskOutcome::Unanswered).count(), 15);
    }

    async fn a_chat_needs_a_session_that_has_ended(database) {
        let store = &database.store;
        let error = store.chat_ask(SessionId::new(), chat_message(None, "x", 1)).await.unwrap_err();
        assert!(matches!(error, StoreError::NotFound { what: "session", .. }), "{error}");
        let session = new_session("b");
        let session_id = session.session_id;
        store.session_insert(session, QueueLimit::Unlimited, at(1)).await.unwrap();
        let early = store.chat_ask(session_id, chat_message(None, "x", 1)).await.unwrap();
        assert_eq!(early, AskOutcome::NotEnded(SessionStatus::Pending));
    }

    async fn cancelling_an_answer_does_not_affect_the_next_one(database) {
        let store = &database.store;
        let session_id = completed_session(store).await;
        let cancel = |micros| store.session_cancel(session_id, Some("ann".to_owned()), at(micros));
        let renew = || async { store.queue_renew("w", at(70), LEASE).await.unwrap()[0].1 };
        let ended = CancelOutcome::AlreadyEnded(SessionStatus::Completed);
        assert_eq!(cancel(50).await.unwrap(), ended);
        store.chat_ask(session_id, chat_message(Some("ann"), "Why?", 60)).await.unwrap();
        let lease = claim(store, 61).await.unwrap().lease;
        assert_eq!(renew().await, LeaseState::Held);
        assert_eq!(cancel(62).await.unwrap(), CancelOutcome::Requested);
        assert_eq!(renew().await, LeaseState::CancelRequested);
        assert!(store.session_cancel_requested(session_id).await.unwrap());
        store.chat_answer(lease, chat_message(None, "Stopped.", 63)).await.unwrap();
        assert_eq!(cancel(64).await.unwrap(), ended);
        store.chat_ask(session_id, chat_message(Some("ann"), "And now?", 65)).await.unwrap();
        claim(store, 66).await.unwrap();
        assert_eq!(renew().await, LeaseState::Held);
        let session = store.session_fetch(session_id).await.unwrap().unwrap();
        assert_eq!(session.status, SessionStatus::Completed);
    }
}
