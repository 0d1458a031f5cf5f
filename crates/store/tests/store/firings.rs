//! Notifications about groups of alerts: one session for each firing.

use std::sync::Arc;
use std::time::Duration;

use tarsy_domain::{
    Channel, EventType, Firing, SessionId, SessionStatus, TimelineEventId, TimelineEventType, Timestamp,
};
use tarsy_store::{
    ClaimLimit, GroupNotice, NewRunbook, NewTimelineEvent, QueueLimit, ResolveOutcome, SessionFilter,
    SessionOutcome, Store, SubmitOutcome,
};
use tarsy_testkit::{both_engines, new_session};
use tokio::task::JoinSet;

fn minute(minute: i64) -> Timestamp {
    Timestamp::from_micros(minute * 60_000_000)
}

/// Returns an alert that has been firing since a given minute.
fn firing(fingerprint: &str, since: i64) -> Firing {
    Firing { fingerprint: fingerprint.to_owned(), began_at: minute(since), ended_at: None }
}

/// Returns an alert that fired from one minute to another.
fn ended(fingerprint: &str, since: i64, until: i64) -> Firing {
    Firing { ended_at: Some(minute(until)), ..firing(fingerprint, since) }
}

fn group(firings: &[Firing]) -> GroupNotice {
    GroupNotice { group_key: "group".to_owned(), firings: firings.to_vec() }
}

async fn notify(store: &Store, alert_id: &str, firings: &[Firing]) -> SubmitOutcome {
    let session = new_session(alert_id);
    store.firing_submit(group(firings), session, QueueLimit::Unlimited, minute(1)).await.unwrap()
}

async fn notify_end(store: &Store, firings: &[Firing]) -> ResolveOutcome {
    let note = NewTimelineEvent {
        timeline_event_id: TimelineEventId::new(),
        stage_id: None,
        event_type: TimelineEventType::AlertUpdate,
        content: "resolved".to_owned(),
        metadata: "{}".to_owned(),
        created_at: minute(2),
    };
    store.firing_resolve(group(firings), note, minute(2)).await.unwrap()
}

fn created(outcome: SubmitOutcome) -> SessionId {
    match outcome {
        SubmitOutcome::Created(session_id) => session_id,
        SubmitOutcome::Existing(_) | SubmitOutcome::QueueFull => panic!("not new: {outcome:?}"),
    }
}

async fn sessions(store: &Store) -> usize {
    store.session_list(&SessionFilter::default(), None, 100).await.unwrap().sessions.len()
}

both_engines! {
    async fn repeated_notifications_of_a_firing_create_one_session(database) {
        let store = &database.store;
        let session_id = created(notify(store, "a", &[firing("x", 10)]).await);
        let same = SubmitOutcome::Existing(session_id);
        assert_eq!(notify(store, "b", &[firing("x", 10)]).await, same);
        // An alert is added, the first one ends, and the remaining one is notified alone.
        assert_eq!(notify(store, "c", &[firing("x", 10), firing("y", 30)]).await, same);
        assert_eq!(notify(store, "d", &[ended("x", 10, 40), firing("y", 30)]).await, same);
        assert_eq!(notify(store, "e", &[firing("y", 30)]).await, same);
        // The first alert fires again while the group is still firing.
        assert_eq!(notify(store, "f", &[firing("y", 30), firing("x", 50)]).await, same);
        assert_eq!(notify(store, "g", &[firing("x", 50)]).await, same);
        // Another alert replaces all others before the group has ended.
        assert_eq!(notify(store, "h", &[ended("x", 50, 60), ended("y", 30, 60), firing("z", 61)]).await, same);
        assert_eq!(sessions(store).await, 1);
    }

    async fn a_group_that_fires_again_after_its_end_gets_a_new_session(database) {
        let store = &database.store;
        let first = created(notify(store, "a", &[firing("x", 10)]).await);
        assert_eq!(notify_end(store, &[ended("x", 10, 20)]).await, ResolveOutcome::Noted(first));
        let second = created(notify(store, "b", &[firing("x", 21)]).await);
        assert_ne!(first, second);
        // A late notification of the first firing does not affect the second.
        assert_eq!(notify_end(store, &[ended("x", 10, 20)]).await, ResolveOutcome::Unknown);
        assert_eq!(notify(store, "c", &[firing("x", 21)]).await, SubmitOutcome::Existing(second));
        assert_eq!(notify_end(store, &[ended("x", 21, 30)]).await, ResolveOutcome::Noted(second));
    }

    async fn a_late_notification_of_an_ended_firing_creates_no_session(database) {
        let store = &database.store;
        let session_id = created(notify(store, "a", &[firing("x", 10)]).await);
        notify_end(store, &[ended("x", 10, 20)]).await;
        assert_eq!(notify(store, "b", &[firing("x", 10)]).await, SubmitOutcome::Existing(session_id));
        assert_eq!(created(notify(store, "c", &[firing("x", 22)]).await), store.session_fetch_by_alert("c").await.unwrap().unwrap().session_id);
    }

    async fn a_later_start_implies_that_the_earlier_firing_has_ended(database) {
        let store = &database.store;
        let first = created(notify(store, "a", &[firing("x", 10)]).await);
        let second = created(notify(store, "b", &[firing("x", 500)]).await);
        assert_ne!(first, second);
    }

    async fn notifications_of_one_group_without_a_common_alert_create_two_sessions(database) {
        let store = &database.store;
        let one = created(notify(store, "a", &[firing("x", 10)]).await);
        let other = created(notify(store, "b", &[firing("y", 10)]).await);
        assert_ne!(one, other);
        assert_eq!(notify_end(store, &[ended("x", 10, 20)]).await, ResolveOutcome::Noted(one));
        assert_eq!(notify(store, "c", &[firing("y", 10)]).await, SubmitOutcome::Existing(other));
    }

    async fn the_end_is_noted_once_even_on_a_session_that_has_ended(database) {
        let store = &database.store;
        let session_id = created(notify(store, "a", &[firing("x", 10), firing("y", 11)]).await);
        let hour = Duration::from_secs(3600);
        let claimed = store.queue_claim("w", ClaimLimit::Unlimited, minute(1), hour).await.unwrap().unwrap();
        let outcome = SessionOutcome {
            status: SessionStatus::Completed,
            final_analysis: Some("found".to_owned()),
            executive_summary: None,
            error_message: None,
        };
        store.session_finish(claimed.lease, outcome, minute(1)).await.unwrap();

        let end = [ended("x", 10, 20), ended("y", 11, 20)];
        assert_eq!(notify_end(store, &end).await, ResolveOutcome::Noted(session_id));
        assert_eq!(notify_end(store, &end).await, ResolveOutcome::NotedBefore(session_id));
        let timeline = store.timeline_list(session_id, 0, 10).await.unwrap();
        let entries: Vec<_> = timeline.iter().map(|event| (event.position, event.entry.content.as_str())).collect();
        assert_eq!(entries,  [(1, "resolved")]);
        let session = store.session_fetch(session_id).await.unwrap().unwrap();
        assert_eq!((session.timeline_events, session.status), (1, SessionStatus::Completed));
        let events = store.event_list(Channel::Session(session_id), 0, 10).await.unwrap();
        let last = events.last().unwrap();
        assert_eq!((last.event_id, last.event_type()), (events.len() as u64, Some(EventType::TimelineEventCompleted)));
    }

    async fn a_note_does_not_affect_the_lease_of_the_worker(database) {
        let store = &database.store;
        let session_id = created(notify(store, "a", &[firing("x", 10)]).await);
        let hour = Duration::from_secs(3600);
        let claimed = store.queue_claim("w", ClaimLimit::Unlimited, minute(1), hour).await.unwrap().unwrap();
        notify_end(store, &[ended("x", 10, 20)]).await;
        let runbook = NewRunbook { text: "text".to_owned(), note: None, masked_values: None };
        store.runbook_record(claimed.lease, runbook, minute(3)).await.unwrap();
        assert_eq!(store.runbook_fetch(session_id).await.unwrap().as_deref(), Some("text"));
    }

    async fn a_full_queue_leaves_no_trace_of_a_firing(database) {
        let store = &database.store;
        let full = QueueLimit::Sessions(0);
        let notice = group(&[firing("x", 10)]);
        let rejected = store.firing_submit(notice, new_session("a"), full, minute(1)).await.unwrap();
        assert_eq!(rejected, SubmitOutcome::QueueFull);
        assert_eq!(notify_end(store, &[ended("x", 10, 20)]).await, ResolveOutcome::Unknown);
        let session_id = created(notify(store, "a", &[firing("x", 10)]).await);
        let notice = group(&[firing("x", 10)]);
        let known = store.firing_submit(notice, new_session("b"), full, minute(1)).await.unwrap();
        assert_eq!(known, SubmitOutcome::Existing(session_id));
    }

    async fn concurrent_notifications_create_one_session(database) {
        let mut senders = JoinSet::new();
        let stores = [Arc::new(database.another().await), Arc::new(database.another().await)];
        for number in 0..16 {
            let store = Arc::clone(&stores[number % 2]);
            // Some notifications contain more alerts than others.
            let alerts: Vec<Firing> = ["z", "x", "y"][..=number % 3].iter().map(|name| firing(name, 10)).collect();
            senders.spawn(async move { notify(&store, &format!("a{number}"), &alerts).await });
        }
        let outcomes = senders.join_all().await;
        let made = outcomes.iter().filter(|outcome| matches!(outcome, SubmitOutcome::Created(_))).count();
        assert_eq!(made, 1, "{outcomes:?}");
        assert_eq!(sessions(&database.store).await, 1);
    }

    async fn deleting_a_session_deletes_its_firings(database) {
        let store = &database.store;
        let first = created(notify(store, "a", &[firing("x", 10)]).await);
        store.session_cancel(first, None, minute(1)).await.unwrap();
        assert!(store.session_delete(first).await.unwrap());
        created(notify(store, "b", &[firing("x", 10)]).await);
    }
}
