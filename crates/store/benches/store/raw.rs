//! The limits: what the disk and the databases do without the store.

use std::io::Write;
use std::time::Instant;

use sqlx::postgres::PgPoolOptions;
use tokio::task::JoinSet;

use super::MEASURED;

/// Syncs a second of a file that grows by one page each time.
pub(crate) fn fsyncs() -> f64 {
    let mut file = tempfile::tempfile().unwrap();
    let page = [7u8; 4096];
    let begun = Instant::now();
    let mut count = 0.0;
    while begun.elapsed() < MEASURED {
        file.write_all(&page).unwrap();
        file.sync_data().unwrap();
        count += 1.0;
    }
    count / begun.elapsed().as_secs_f64()
}

/// Durable commits a second, each of one row of 600 bytes, by so many writers.
pub(crate) async fn commits(url: &str, writers: usize) -> f64 {
    // SQLite has one writer at a time: more would only wait for its lock.
    if url.starts_with("sqlite:") { sqlite_commits() } else { postgres_commits(url, writers).await }
}

fn sqlite_commits() -> f64 {
    let directory = tempfile::tempdir().unwrap();
    let connection = rusqlite::Connection::open(directory.path().join("raw.db")).unwrap();
    connection
        .execute_batch("pragma journal_mode = wal; pragma synchronous = full; create table raw (body text)")
        .unwrap();
    let mut insert = connection.prepare("insert into raw (body) values (?1)").unwrap();
    let row = "x".repeat(600);
    let begun = Instant::now();
    let mut count = 0.0;
    while begun.elapsed() < MEASURED {
        insert.execute([&row]).unwrap();
        count += 1.0;
    }
    count / begun.elapsed().as_secs_f64()
}

async fn postgres_commits(url: &str, writers: usize) -> f64 {
    let connections = u32::try_from(writers).unwrap();
    let pool = PgPoolOptions::new().max_connections(connections).connect(url).await.unwrap();
    sqlx::query("create table if not exists raw (body text)").execute(&pool).await.unwrap();
    let row = "x".repeat(600);
    let one = move || {
        let (pool, row) = (pool.clone(), row.clone());
        async move {
            sqlx::query("insert into raw (body) values ($1)").bind(row).execute(&pool).await.unwrap();
        }
    };
    rate(writers, one).await
}

/// How often a second `writers` tasks together get `work` done.
pub(crate) async fn rate<W, F>(writers: usize, work: W) -> f64
where
    W: Fn() -> F + Clone + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let begun = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..writers {
        let work = work.clone();
        tasks.spawn(async move {
            let mut count = 0u32;
            while begun.elapsed() < MEASURED {
                work().await;
                count += 1;
            }
            count
        });
    }
    let total: u32 = tasks.join_all().await.into_iter().sum();
    f64::from(total) / begun.elapsed().as_secs_f64()
}
