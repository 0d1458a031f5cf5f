//! How fast the store is, beside what the same database does on the same disk with nothing around it.
//!
//! `make bench` runs it with a private, durable PostgreSQL. Rates are meant to be read against each other within
//! one run; from one machine to the next they say little.

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

/// How long each rate is measured.
const MEASURED: Duration = Duration::from_secs(3);
/// The writers of the target.
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

/// `cargo bench -p tarsy-store -- --skip list` leaves a part out.
fn wanted(part: &str) -> bool {
    let arguments: Vec<String> = std::env::args().collect();
    !arguments.windows(2).any(|pair| pair[0] == "--skip" && pair[1] == part)
}

async fn bench_steps(database: &TestDatabase) {
    let raw = raw::commits(&database.url, 1).await;
    let raw_together = raw::commits(&database.url, WRITERS).await;
    let alone = steps::rate(&database.store, 1).await;
    let together = steps::rate(&database.store, WRITERS).await;
    println!("  raw commits of one row, 1 writer            {raw:>8.0} /s");
    println!("  raw commits of one row, {WRITERS} writers         {raw_together:>8.0} /s");
    println!(
        "  steps, 1 writer                             {alone:>8.0} /s  {:>5.0} % of raw",
        100.0 * alone / raw
    );
    println!(
        "  steps, {WRITERS} writers                          {together:>8.0} /s  {:>5.0} % of raw, {:.0} % of raw with {WRITERS}",
        100.0 * together / raw,
        100.0 * together / raw_together
    );
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
