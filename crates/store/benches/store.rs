//! Throughput of the store, compared with the same database on the same disk without the store.
//!
//! `make bench` runs it with a private, durable PostgreSQL. Compare rates within one run only; they differ
//! between machines.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

#[path = "store/list.rs"]
mod list;
#[path = "store/raw.rs"]
mod raw;
#[path = "store/steps.rs"]
mod steps;

use std::time::Duration;

use tarsy_testkit::TestDatabase;

/// Duration of each measurement.
const MEASURED: Duration = Duration::from_secs(3);
/// Number of concurrent writers for which there is a target.
const WRITERS: usize = 32;

#[tokio::main]
async fn main() {
    println!(
        "fdatasync of 4 KiB, one after the other: {:>8.0} /s  (the disk's limit for commits alone)",
        raw::fsyncs()
    );
    if wanted("sqlite") {
        bench("SQLite", TestDatabase::sqlite().await).await;
    }
    if wanted("postgres") {
        bench("PostgreSQL", TestDatabase::postgres().await).await;
    }
}

async fn bench(engine: &str, database: TestDatabase) {
    println!("\n{engine}");
    if wanted("steps") {
        bench_steps(&database).await;
    }
    if wanted("list") {
        bench_list(&database).await;
    }
    database.remove().await;
}

/// Returns whether a part runs: `cargo bench -p tarsy-store -- --skip list` skips one.
fn wanted(part: &str) -> bool {
    let arguments: Vec<String> = std::env::args().collect();
    !arguments.windows(2).any(|pair| pair[0] == "--skip" && pair[1] == part)
}

async fn bench_steps(database: &TestDatabase) {
    let line = |what: String, rate: f64| println!("  {what:<62} {rate:>8.0} /s");
    let alone = steps::rate(&database.store, 1).await;
    let together = steps::rate(&database.store, WRITERS).await;
    line("steps, 1 writer".to_owned(), alone);
    line(format!("steps, {WRITERS} writers"), together);
    let mut limits = Vec::new();
    if database.url.starts_with("sqlite:") {
        let sessions = steps::sessions(&database.store, WRITERS).await;
        let by_hand = raw::sqlite_step_commits(&database.url, &sessions, &steps::text());
        limits.push(("raw commits of the rows of one step, by hand".to_owned(), by_hand));
    } else {
        limits.push((
            format!("raw commits of one row of 600 bytes, {WRITERS} writers"),
            raw::commits(&database.url, WRITERS).await,
        ));
    }
    limits.push((
        "raw commits of one row of 600 bytes, 1 writer".to_owned(),
        raw::commits(&database.url, 1).await,
    ));
    for (what, rate) in limits {
        line(what, rate);
        println!("    the {WRITERS} writers reach {:.0} % of that", 100.0 * together / rate);
    }
}

async fn bench_list(database: &TestDatabase) {
    list::fill(database).await;
    println!("  a page of 50 out of {} sessions:", list::SESSIONS);
    for measured in list::measure(&database.store).await {
        println!(
            "    {:<42} p50 {:>6.2} ms   p99 {:>6.2} ms   {:>3} rows",
            measured.name, measured.p50_ms, measured.p99_ms, measured.rows
        );
    }
}
