//! Sessions: idempotent submission, cancellation and ending.

use std::collections::BTreeMap;
use std::time::Duration;

use tarsy_domain::{Channel, EventType, SessionId, SessionStatus, Timestamp, WorkStatus};
use tarsy_store::{
    CancelOutcome, ClaimLimit, LeaseState, QueueLimit, SessionOutcome, StageOutcome, Store, StoreError,
    SubmitOutcome,
};
use tarsy_testkit::{both_engines, new_session};

const LEASE: Duration = Duration::from_secs(30);

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

fn completed(analysis: &str) -> SessionOutcome {
    SessionOutcome {
        status: SessionStatus::Completed,
        final_analysis: Some(analysis.to_owned()),
        executive_summary: Some("short".to_owned()),
        error_message: None,
    }
}

async fn submit(store: &Store, alert_id: &str, created_at: Timestamp) -> SessionId {
    let session = new_session(alert_id);
    let session_id = session.session_id;
    assert_eq!(
        store.session_insert(session, QueueLimit::Unlimited, created_at).await.unwrap(),
        SubmitOutcome::Created(session_id)
    );
    session_id
}

async fn status_events(store: &Store, channel: Channel) -> Vec<(u64, String)> {
    let events = store.event_list(channel, 0, 100).await.unwrap();
    let statuses = events.into_iter().filter(|event| event.event_type() == Some(EventType::SessionStatus));
    statuses.map(|event| (event.event_id, event.payload.unwrap().to_json())).collect()
}

both_engines! {
    async fn a_submitted_session_reads_back_as_it_was_sent(database) {
        let store = &database.store;
        let mut session = new_session("a-1");
        session.author = Some("on-call".into());
        session.input.alert_data = "line one\r\n\ttab \u{1F525} {\"json\": [1, 2.50]}\n".into();
        session.input.mcp_selection = Some("{\"b\":1,  \"a\":2}".into());
        store.session_insert(session.clone(), QueueLimit::Unlimited, at(7)).await.unwrap();

        let found = store.session_fetch(session.session_id).await.unwrap().unwrap();
        assert_eq!(found.alert_id, "a-1");
        assert_eq!(found.author.as_deref(), Some("on-call"));
        assert_eq!((found.status, found.created_at), (SessionStatus::Pending, at(7)));
        assert_eq!((found.stages_total, found.stages_done), (2, 0));
        assert_eq!(store.session_input_fetch(session.session_id).await.unwrap(), Some(session.input));
        assert_eq!(store.session_fetch_by_alert("a-1").await.unwrap(), Some(found));
        let stages = store.stage_list(session.session_id).await.unwrap();
        let stages: Vec<_> = stages.iter().map(|stage| (stage.name.as_str(), stage.status)).collect();
        assert_eq!(stages, [("collect", WorkStatus::Pending), ("analyse", WorkStatus::Pending)]);
    }

    async fn the_same_alert_id_returns_the_same_session(database) {
        let store = &database.store;
        let first = submit(store, "a-1", at(1)).await;

        let again = store.session_insert(new_session("a-1"), QueueLimit::Unlimited, at(2)).await.unwrap();

        assert_eq!(again, SubmitOutcome::Existing(first));
        assert_eq!(store.session_counts().await.unwrap(), BTreeMap::from([(SessionStatus::Pending, 1)]));
    }

    async fn concurrent_submissions_of_one_alert_create_one_session(database) {
        let submissions = (0..16).map(|_| {
            let store = database.store.clone();
            tokio::spawn(async move { store.session_insert(new_session("same"), QueueLimit::Unlimited, at(1)).await.unwrap() })
        });
        let mut created = 0;
        for submission in submissions.collect::<Vec<_>>() {
            created += usize::from(matches!(submission.await.unwrap(), SubmitOutcome::Created(_)));
        }
        assert_eq!(created, 1);
    }

    async fn nul_characters_are_replaced(database) {
        let mut session = new_session("nul");
        session.input.alert_data = "before\0after".into();
        let session_id = session.session_id;
        database.store.session_insert(session, QueueLimit::Unlimited, at(1)).await.unwrap();

        let input = database.store.session_input_fetch(session_id).await.unwrap().unwrap();
        assert_eq!(input.alert_data, "before\u{FFFD}after");
    }

    async fn a_pending_session_is_cancelled_immediately(database) {
        let store = &database.store;
        let session_id = submit(store, "a-1", at(1)).await;

        let outcome = store.session_cancel(session_id, Some("someone".into()), at(5)).await.unwrap();

        assert_eq!(outcome, CancelOutcome::Cancelled);
        let session = store.session_fetch(session_id).await.unwrap().unwrap();
        assert_eq!((session.status, session.completed_at), (SessionStatus::Cancelled, Some(at(5))));
        assert_eq!(session.cancel_requested_by.as_deref(), Some("someone"));
        assert_eq!(store.queue_claim("w", ClaimLimit::Unlimited, at(9), LEASE).await.unwrap(), None);
        let again = store.session_cancel(session_id, None, at(6)).await.unwrap();
        assert_eq!(again, CancelOutcome::AlreadyEnded(SessionStatus::Cancelled));
    }

    async fn cancelling_a_running_session_notifies_its_worker(database) {
        let store = &database.store;
        let session_id = submit(store, "a-1", at(1)).await;
        let lease = store.queue_claim("w", ClaimLimit::Unlimited, at(2), LEASE).await.unwrap().unwrap().lease;
        assert_eq!(store.queue_renew("w", at(3), LEASE).await.unwrap(), [(lease, LeaseState::Held)]);

        assert_eq!(store.session_cancel(session_id, None, at(4)).await.unwrap(), CancelOutcome::Requested);
        assert_eq!(store.session_cancel(session_id, None, at(5)).await.unwrap(), CancelOutcome::Requested);

        let renewed = store.queue_renew("w", at(6), LEASE).await.unwrap();
        assert_eq!(renewed, [(lease, LeaseState::CancelRequested)]);
        let session = store.session_fetch(session_id).await.unwrap().unwrap();
        assert_eq!((session.status, session.cancel_requested_at), (SessionStatus::Cancelling, Some(at(4))));
    }

    async fn cancelling_an_unknown_session_is_an_error(database) {
        let unknown = SessionId::new();
        let error = database.store.session_cancel(unknown, None, at(1)).await.unwrap_err();
        assert_eq!(error.to_string(), format!("there is no session {unknown}"));
    }

    async fn ending_a_session_ends_its_lease(database) {
        let store = &database.store;
        let session_id = submit(store, "a-1", at(1)).await;
        let lease = store.queue_claim("w", ClaimLimit::Unlimited, at(2), LEASE).await.unwrap().unwrap().lease;

        store.session_finish(lease, completed("the disk was full"), at(8)).await.unwrap();

        let session = store.session_fetch(session_id).await.unwrap().unwrap();
        assert_eq!((session.status, session.completed_at), (SessionStatus::Completed, Some(at(8))));
        assert_eq!(session.final_analysis.as_deref(), Some("the disk was full"));
        let again = store.session_finish(lease, completed("no"), at(9)).await.unwrap_err();
        assert!(matches!(again, StoreError::LeaseLost { .. }), "{again}");
        assert_eq!(store.queue_renew("w", at(9), LEASE).await.unwrap(), []);
        assert_eq!(store.session_fetch(session_id).await.unwrap().unwrap(), session);
    }

    async fn rejects_an_outcome_that_is_not_terminal(database) {
        let store = &database.store;
        submit(store, "a-1", at(1)).await;
        let lease = store.queue_claim("w", ClaimLimit::Unlimited, at(2), LEASE).await.unwrap().unwrap().lease;

        let outcome = SessionOutcome { status: SessionStatus::Cancelling, ..completed("x") };
        let error = store.session_finish(lease, outcome, at(8)).await.unwrap_err();

        assert!(matches!(error, StoreError::IllegalTransition { .. }), "{error}");
    }

    async fn every_change_of_status_is_an_event_in_both_channels(database) {
        let store = &database.store;
        let session_id = submit(store, "a-1", at(1)).await;
        let lease = store.queue_claim("w", ClaimLimit::Unlimited, at(2), LEASE).await.unwrap().unwrap().lease;
        store.queue_release(lease, at(3)).await.unwrap();
        let lease = store.queue_claim("v", ClaimLimit::Unlimited, at(4), LEASE).await.unwrap().unwrap().lease;
        store.session_finish(lease, completed("x"), at(5)).await.unwrap();

        let expected: Vec<_> = ["pending", "in_progress", "completed"]
            .iter()
            .zip(1..)
            .map(|(status, id)| (id, format!("{{\"session_id\":\"{session_id}\",\"status\":\"{status}\"}}")))
            .collect();
        assert_eq!(status_events(store, Channel::Session(session_id)).await, expected);
        assert_eq!(status_events(store, Channel::Sessions).await, expected);
    }

    async fn stages_follow_the_legal_transitions_and_update_the_totals(database) {
        let store = &database.store;
        let session_id = submit(store, "a-1", at(1)).await;
        let lease = store.queue_claim("w", ClaimLimit::Unlimited, at(2), LEASE).await.unwrap().unwrap().lease;
        let stages = store.stage_list(session_id).await.unwrap();
        let outcome = |status| StageOutcome {
            status, analysis: Some("found".into()), error_message: None, routing_reason: None,
        };

        let early = store.stage_finish(lease, stages[0].stage_id, outcome(WorkStatus::Completed), None, at(3)).await;
        assert_eq!(
            early.unwrap_err().to_string(),
            format!("stage {} cannot become completed: it is pending", stages[0].stage_id)
        );
        store.stage_begin(lease, stages[0].stage_id, None, at(3)).await.unwrap();
        assert!(store.stage_begin(lease, stages[0].stage_id, None, at(4)).await.is_err());
        store.stage_finish(lease, stages[0].stage_id, outcome(WorkStatus::Failed), None, at(5)).await.unwrap();
        assert!(store.stage_finish(lease, stages[0].stage_id, outcome(WorkStatus::Completed), None, at(6)).await.is_err());
        store.stage_finish(lease, stages[1].stage_id, outcome(WorkStatus::Skipped), None, at(7)).await.unwrap();

        let session = store.session_fetch(session_id).await.unwrap().unwrap();
        assert_eq!((session.stages_total, session.stages_done, session.stages_failed), (2, 2, 1));
        let stages = store.stage_list(session_id).await.unwrap();
        assert_eq!((stages[0].started_at, stages[0].completed_at), (Some(at(3)), Some(at(5))));
        assert_eq!(stages[1].status, WorkStatus::Skipped);
    }

    async fn committed_data_survives_reopening(database) {
        let session_id = submit(&database.store, "a-1", at(1)).await;
        let second = Store::open(&database.url).await.unwrap();
        assert_eq!(
            second.session_fetch(session_id).await.unwrap(),
            database.store.session_fetch(session_id).await.unwrap()
        );
        second.close().await;
    }

    async fn a_closed_store_returns_an_error(database) {
        let store = Store::open(&database.url).await.unwrap();
        store.close().await;
        assert!(store.session_insert(new_session("late"), QueueLimit::Unlimited, at(1)).await.is_err());
        assert!(store.session_counts().await.is_err());
    }
}
