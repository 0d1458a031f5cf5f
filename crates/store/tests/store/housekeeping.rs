//! Retention and deletion.

use std::time::Duration;

use tarsy_domain::{Channel, ChatMessageId, SearchQuery, SessionId, Timestamp};
use tarsy_store::{ChatMessage, ClaimLimit, QueueLimit, RetentionPolicy, SessionFilter, Store, SweepResult};
use tarsy_testkit::{both_engines, execution, model_step, new_session, opening};

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

fn policy(sessions_us: u64, events_us: u64, batch: u32) -> RetentionPolicy {
    RetentionPolicy {
        sessions: Duration::from_micros(sessions_us),
        events: Duration::from_micros(events_us),
        batch,
    }
}

/// Creates a session with a recorded step and a chat that ends at `ended`.
async fn ended_session(store: &Store, alert_id: &str, ended: i64) -> SessionId {
    let session = new_session(alert_id);
    let session_id = session.session_id;
    store.session_insert(session, QueueLimit::Unlimited, at(1)).await.unwrap();
    let hour = Duration::from_secs(3600);
    let lease = store.queue_claim("w", ClaimLimit::Unlimited, at(2), hour).await.unwrap().unwrap().lease;
    let execution = execution();
    let step = model_step(execution.execution_id, "needle", at(3));
    store.execution_begin(lease, execution, opening(), at(3)).await.unwrap();
    store.step_record(lease, step, at(3)).await.unwrap();
    let outcome = tarsy_store::SessionOutcome {
        status: tarsy_domain::SessionStatus::Failed,
        final_analysis: None,
        executive_summary: None,
        error_message: Some("no".into()),
    };
    store.session_finish(lease, outcome, at(ended)).await.unwrap();
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
    async fn deletes_old_sessions_in_small_batches_and_keeps_recent_ones(database) {
        let store = &database.store;
        for number in 0..5 {
            ended_session(store, &format!("old-{number}"), 100 + number).await;
        }
        let young = ended_session(store, "young", 900).await;
        let sweep = |batch| store.retention_sweep(policy(500, 1_000_000, batch), at(1000));

        assert_eq!(sweep(2).await.unwrap(), SweepResult { sessions: 2, events: 0 });
        assert_eq!(sweep(2).await.unwrap(), SweepResult { sessions: 2, events: 0 });
        assert_eq!(sweep(2).await.unwrap(), SweepResult { sessions: 1, events: 0 });
        assert_eq!(sweep(2).await.unwrap(), SweepResult::default());

        let page = store.session_list(&SessionFilter::default(), None, 10).await.unwrap();
        let left: Vec<_> = page.sessions.iter().map(|listed| listed.session.session_id).collect();
        assert_eq!(left, [young]);
    }

    async fn keeps_sessions_that_have_not_ended(database) {
        let store = &database.store;
        store.session_insert(new_session("waiting"), QueueLimit::Unlimited, at(1)).await.unwrap();
        let swept = store.retention_sweep(policy(1, 1, 100), at(1_000_000)).await.unwrap();
        assert_eq!(swept.sessions, 0);
        assert!(store.session_fetch_by_alert("waiting").await.unwrap().is_some());
    }

    async fn deletes_old_events_and_never_reuses_their_ids(database) {
        let store = &database.store;
        let ended = ended_session(store, "ended", 50).await;
        let waiting = new_session("waiting");
        let waiting_id = waiting.session_id;
        store.session_insert(waiting, QueueLimit::Unlimited, at(60)).await.unwrap();

        store.retention_sweep(policy(1_000_000, 10, 1000), at(500)).await.unwrap();

        assert_eq!(store.event_list(Channel::Session(ended), 0, 10).await.unwrap(), []);
        assert_eq!(store.event_list(Channel::Sessions, 0, 10).await.unwrap(), []);
        // A client must notice that it missed events.
        store.session_cancel(waiting_id, None, at(501)).await.unwrap();
        let events = store.event_list(Channel::Sessions, 0, 10).await.unwrap();
        assert_eq!(events.iter().map(|event| event.event_id).collect::<Vec<_>>(), [5]);
    }

    async fn deleting_a_session_deletes_all_its_data(database) {
        let store = &database.store;
        let session_id = ended_session(store, "a", 50).await;
        store.chat_ask(session_id, chat_message(Some("ann"), "why?", 60)).await.unwrap();

        assert!(store.session_delete(session_id).await.unwrap());

        assert!(!store.session_delete(session_id).await.unwrap());
        assert_eq!(store.session_fetch(session_id).await.unwrap(), None);
        assert_eq!(store.session_input_fetch(session_id).await.unwrap(), None);
        assert_eq!(store.stage_list(session_id).await.unwrap(), []);
        assert_eq!(store.execution_list(session_id).await.unwrap(), []);
        assert_eq!(store.timeline_list(session_id, 0, 10).await.unwrap(), []);
        assert_eq!(store.llm_interaction_list(session_id).await.unwrap(), []);
        assert_eq!(store.event_list(Channel::Session(session_id), 0, 10).await.unwrap(), []);
        assert_eq!(store.chat_message_list(session_id).await.unwrap(), []);
        let filter = SessionFilter { search: SearchQuery::parse("needle"), ..SessionFilter::default() };
        assert_eq!(store.session_list(&filter, None, 10).await.unwrap().sessions, []);
    }

    async fn a_running_session_cannot_be_deleted(database) {
        let store = &database.store;
        let session = new_session("a");
        let session_id = session.session_id;
        store.session_insert(session, QueueLimit::Unlimited, at(1)).await.unwrap();
        assert!(!store.session_delete(session_id).await.unwrap());
        assert!(store.session_fetch(session_id).await.unwrap().is_some());
    }
}
