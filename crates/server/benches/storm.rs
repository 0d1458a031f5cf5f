//! Throughput of alert submission over real connections, compared with inserting the same sessions into the
//! store.
//!
//! `make bench` runs it with a private, durable PostgreSQL. Compare rates within one run only, not between
//! machines. Clients and server share the machine.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints its results and fails by panicking"
)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tarsy_config::{Config, Environment};
use tarsy_domain::Timestamp;
use tarsy_server::{AccessMode, AccessPolicy, App, Listening, WebhookAuth, router};
use tarsy_store::{QueueLimit, Store};
use tarsy_testkit::{HttpClient, TestDatabase, alert_for};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const ALERTS: usize = 10_000;
const CONNECTIONS: usize = 64;
const LIMIT: u32 = 100_000;

#[tokio::main]
async fn main() {
    bench("SQLite", TestDatabase::sqlite().await).await;
    bench("PostgreSQL", TestDatabase::postgres().await).await;
}

async fn bench(engine: &str, database: TestDatabase) {
    println!("{engine}: {ALERTS} alerts from {CONNECTIONS} connections");
    let config = Arc::new(config());
    let raw = insert(&database.store, &config).await;
    let raw_rate = ALERTS as f64 / raw.as_secs_f64();
    println!("  {:<46} {raw_rate:>8.0} /s", "sessions inserted into the store");
    let storm = storm(&database.store, config).await;
    let rate = ALERTS as f64 / storm.took.as_secs_f64();
    println!("  {:<46} {rate:>8.0} /s  ({:.0} % of that)", "alerts over HTTP", 100.0 * rate / raw_rate);
    let millis = |share: f64| storm.percentile(share).as_secs_f64() * 1000.0;
    println!(
        "  {:<46} {:>8.1} ms  p99 {:.1} ms  longest {:.1} ms",
        "response time, p50",
        millis(0.5),
        millis(0.99),
        millis(1.0)
    );
    database.remove().await;
}

fn config() -> Config {
    let directory = tempfile::tempdir().unwrap();
    let text = format!("queue: {{ max_queue_size: {LIMIT} }}");
    std::fs::write(directory.path().join("tarsy.yaml"), text).unwrap();
    Config::load(Some(directory.path()), &Environment::default()).unwrap().config
}

fn data(number: usize) -> String {
    format!(
        "{{\"pod\": \"shop-{number}\", \"message\": \"{}\"}}",
        "back-off restarting container ".repeat(20)
    )
}

/// Measures the insertion of the same number of sessions by as many writers.
async fn insert(store: &Store, config: &Config) -> Duration {
    let chain = Arc::new(config.chain_for_alert_type("kubernetes").unwrap());
    let next = Arc::new(AtomicUsize::new(0));
    let writer = |store: Store| {
        let (chain, next) = (Arc::clone(&chain), Arc::clone(&next));
        async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= ALERTS {
                    return;
                }
                let session = alert_for(&chain, &data(number));
                store.session_insert(session, QueueLimit::Sessions(LIMIT), Timestamp::now()).await.unwrap();
            }
        }
    };
    let started = Instant::now();
    let writers: JoinSet<()> = (0..CONNECTIONS).map(|_| writer(store.clone())).collect();
    writers.join_all().await;
    started.elapsed()
}

struct Storm {
    took: Duration,
    /// Response times, shortest first.
    latencies: Vec<Duration>,
}

impl Storm {
    fn percentile(&self, share: f64) -> Duration {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
        let index = ((self.latencies.len() - 1) as f64 * share).round() as usize;
        self.latencies[index]
    }
}

async fn storm(store: &Store, config: Arc<Config>) -> Storm {
    let stop = CancellationToken::new();
    let policy = AccessPolicy { access: AccessMode::Open, webhooks: WebhookAuth::default() };
    let app = App::new(store.clone(), config, policy, "0", CancellationToken::new()).unwrap();
    let listening = Listening::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listening.address;
    let serving = tokio::spawn(listening.serve(router(app), stop.clone()));
    let next = Arc::new(AtomicUsize::new(0));
    let started = Instant::now();
    let senders: JoinSet<Vec<Duration>> =
        (0..CONNECTIONS).map(|_| send(address, Arc::clone(&next))).collect();
    let mut latencies: Vec<Duration> = senders.join_all().await.into_iter().flatten().collect();
    let took = started.elapsed();
    stop.cancel();
    serving.await.unwrap();
    assert_eq!(latencies.len(), ALERTS);
    latencies.sort_unstable();
    Storm { took, latencies }
}

async fn send(address: SocketAddr, next: Arc<AtomicUsize>) -> Vec<Duration> {
    let mut client = HttpClient::connect(address).await.unwrap();
    let mut latencies = Vec::new();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= ALERTS {
            return latencies;
        }
        let body = format!(r#"{{"alert_id": "storm-{number}", "data": {}}}"#, data(number));
        let started = Instant::now();
        let response = client.post_json("/api/v1/alerts", &body).await.unwrap();
        latencies.push(started.elapsed());
        assert_eq!(response.status, 202, "{}", response.body);
    }
}
