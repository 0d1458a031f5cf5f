//! A burst of alerts, in the middle of which the process is killed: what was acknowledged is there.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tarsy_store::{SessionFilter, Store};
use tarsy_testkit::{HttpClient, both_engines};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::process::serve;

const ALERTS: usize = 1000;
const SENDERS: usize = 16;
/// So many are acknowledged when the process is killed.
const KILLED_AFTER: usize = 300;

/// Nothing is worked on, so that everything that happens is taking in.
const CONFIG: &str = "queue: { max_queue_size: 5000, worker_count: 1, max_concurrent_sessions: 1 }\n";

/// What the senders have in common.
struct Burst {
    next: AtomicUsize,
    acknowledged: AtomicUsize,
    enough: Notify,
}

impl Burst {
    fn new() -> Arc<Self> {
        Arc::new(Self { next: AtomicUsize::new(0), acknowledged: AtomicUsize::new(0), enough: Notify::new() })
    }

    fn start(self: &Arc<Self>, address: SocketAddr) -> JoinSet<Vec<usize>> {
        (0..SENDERS).map(|_| send(Arc::clone(self), address)).collect()
    }
}

/// Sends one alert after the other until there are no more, or nobody answers. Answers what was acknowledged.
async fn send(burst: Arc<Burst>, address: SocketAddr) -> Vec<usize> {
    let mut acknowledged = Vec::new();
    let mut client = HttpClient::connect(address).await.unwrap();
    loop {
        let number = burst.next.fetch_add(1, Ordering::Relaxed);
        if number >= ALERTS {
            return acknowledged;
        }
        let body = format!(r#"{{"alert_id": "storm-{number}", "data": {{"number": {number}}}}}"#);
        match client.post_json("/api/v1/alerts", &body).await {
            Ok(answer) if answer.status == 202 || answer.status == 200 => acknowledged.push(number),
            Ok(answer) => panic!("{answer:?}"),
            Err(_) => return acknowledged,
        }
        if burst.acknowledged.fetch_add(1, Ordering::Relaxed) + 1 == KILLED_AFTER {
            burst.enough.notify_one();
        }
    }
}

async fn alert_ids(store: &Store) -> Vec<String> {
    let mut ids = Vec::new();
    let mut cursor = None;
    loop {
        let page = store.session_list(&SessionFilter::default(), cursor, 200).await.unwrap();
        ids.extend(page.sessions.into_iter().map(|listed| listed.session.alert_id));
        cursor = page.next;
        if cursor.is_none() {
            return ids;
        }
    }
}

both_engines! {
    async fn nothing_that_was_acknowledged_is_lost_by_a_kill(database) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("tarsy.yaml"), CONFIG).unwrap();
        let (process, address) = serve(directory.path(), &database.url, "127.0.0.1:0");
        let burst = Burst::new();
        let mut senders = burst.start(address);
        tokio::select! {
            () = burst.enough.notified() => {}
            sender = senders.join_next() => panic!("a sender stopped before the kill: {sender:?}"),
        }
        process.kill();
        let acknowledged: BTreeSet<usize> = senders.join_all().await.into_iter().flatten().collect();
        assert!((KILLED_AFTER..ALERTS).contains(&acknowledged.len()), "{}", acknowledged.len());
        for number in &acknowledged {
            let found = database.store.session_fetch_by_alert(&format!("storm-{number}")).await.unwrap();
            assert!(found.is_some(), "storm-{number} was acknowledged and is not there");
        }

        // The senders come again with all of them, as they would, and each one is there once.
        let (_process, address) = serve(directory.path(), &database.url, "127.0.0.1:0");
        let again = Burst::new().start(address).join_all().await;
        assert_eq!(again.into_iter().flatten().count(), ALERTS);
        let ids = alert_ids(&database.store).await;
        let distinct: BTreeSet<&String> = ids.iter().collect();
        assert_eq!((ids.len(), distinct.len()), (ALERTS, ALERTS));
    }
}
