//! Complete steps: a model reply of about a kilobyte with its message, timeline entry, totals and events.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tarsy_domain::{ExecutionId, Timestamp};
use tarsy_store::{ClaimLimit, Lease, QueueLimit, Store};
use tarsy_testkit::{execution, model_step, new_session, opening};

use super::raw;

/// Returns the reply of each step.
pub(crate) fn text() -> String {
    "The pod api-7f9c restarted because its memory limit was reached. ".repeat(10)
}

/// Creates sessions with an active execution.
pub(crate) async fn sessions(store: &Store, count: usize) -> Vec<(Lease, ExecutionId)> {
    let mut sessions = Vec::new();
    for number in 0..count {
        sessions
            .push(active_execution(store, &format!("bench-{}-{number}", Timestamp::now().as_micros())).await);
    }
    sessions
}

/// Measures the steps per second of this many concurrent writers.
pub(crate) async fn rate(store: &Store, writers: usize) -> f64 {
    let sessions = Arc::new(sessions(store, writers).await);
    let next = Arc::new(AtomicUsize::new(0));
    let text = text();
    let store = store.clone();
    let one = move || {
        let (store, sessions, text) = (store.clone(), sessions.clone(), text.clone());
        // The steps of one session are sequential, as in production; each writer takes the next free session.
        let (lease, execution_id) = sessions[next.fetch_add(1, Ordering::Relaxed) % sessions.len()];
        async move {
            let at = Timestamp::now();
            store.step_record(lease, model_step(execution_id, &text, at), at).await.map(drop).unwrap();
        }
    };
    raw::rate(writers, one).await
}

async fn active_execution(store: &Store, alert_id: &str) -> (Lease, ExecutionId) {
    let now = Timestamp::now();
    store.session_insert(new_session(alert_id), QueueLimit::Unlimited, now).await.unwrap();
    let hour = Duration::from_secs(3600);
    let lease = store.queue_claim("bench", ClaimLimit::Unlimited, now, hour).await.unwrap().unwrap().lease;
    let execution = execution();
    let execution_id = execution.execution_id;
    store.execution_begin(lease, execution, opening(), now).await.unwrap();
    (lease, execution_id)
}
