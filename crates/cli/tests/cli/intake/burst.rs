//! A burst of alerts during which the server is killed: no acknowledged alert is lost.

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
/// The number of acknowledged alerts after which the server is killed.
const KILL_AFTER: usize = 300;

/// One worker without a usable model, so that intake dominates.
const CONFIG: &str = "queue: { max_queue_size: 5000, worker_count: 1, max_concurrent_sessions: 1 }\n";

/// The state that the senders share.
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

/// Sends alerts until all are sent or the server is unreachable. Returns the acknowledged ones.
async fn send(burst: Arc<Burst>, address: SocketAddr) -> Vec<usize> {
    let mut acknowledged = Vec::new();
    let mut client = HttpClient::connect(address).await.unwrap();
    loop {
        let number = burst.next.fetch_add(1, Ordering::Relaxed);
        if number >= ALERTS {
            return acknowledged;
        }
        let body = format!(r#"{{"alert_id": "burst-{number}", "data": {{"number": {number}}}}}"#);
        match client.post_json("/api/v1/alerts", &body).await {
            Ok(response) if response.status == 202 || response.status == 200 => acknowledged.push(number),
            Ok(response) => panic!("{response:?}"),
            Err(_) => return acknowledged,
        }
        if burst.acknowledged.fetch_add(1, Ordering::Relaxed) + 1 == KILL_AFTER {
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
    async fn acknowledged_alerts_survive_a_kill(database) {
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
        assert!((KILL_AFTER..ALERTS).contains(&acknowledged.len()), "{}", acknowledged.len());
        for number in &acknowledged {
            let found = database.store.session_fetch_by_alert(&format!("burst-{number}")).await.unwrap();
            assert!(found.is_some(), "burst-{number} was acknowledged and lost");
        }

        // The senders retry all alerts; each is stored once.
        let (_process, address) = serve(directory.path(), &database.url, "127.0.0.1:0");
        let again = Burst::new().start(address).join_all().await;
        assert_eq!(again.into_iter().flatten().count(), ALERTS);
        let ids = alert_ids(&database.store).await;
        let distinct: BTreeSet<&String> = ids.iter().collect();
        assert_eq!((ids.len(), distinct.len()), (ALERTS, ALERTS));
    }
}
