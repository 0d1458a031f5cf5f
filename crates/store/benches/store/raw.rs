//! The limits of the disk and the databases, without the store.

use std::io::Write;
use std::time::Instant;

use sqlx::postgres::PgPoolOptions;
use tarsy_domain::{ExecutionId, Timestamp};
use tarsy_store::Lease;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::MEASURED;

/// Measures fsyncs per second of a file that grows by one page each time.
pub(crate) fn fsyncs() -> f64 {
    let mut file = tempfile::tempfile().unwrap();
    let page = [7u8; 4096];
    let start = Instant::now();
    let mut count = 0.0;
    while start.elapsed() < MEASURED {
        file.write_all(&page).unwrap();
        file.sync_data().unwrap();
        count += 1.0;
    }
    count / start.elapsed().as_secs_f64()
}

/// Measures durable commits per second, each of one row of 600 bytes, with this many writers.
pub(crate) async fn commits(url: &str, writers: usize) -> f64 {
    // SQLite allows one writer at a time; more would only wait for its lock.
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
    let start = Instant::now();
    let mut count = 0.0;
    while start.elapsed() < MEASURED {
        insert.execute([&row]).unwrap();
        count += 1.0;
    }
    count / start.elapsed().as_secs_f64()
}

/// Measures durable commits per second, each of the rows of one step, inserted directly into the tables of
/// the store.
pub(crate) fn sqlite_step_commits(url: &str, sessions: &[(Lease, ExecutionId)], text: &str) -> f64 {
    let mut connection = rusqlite::Connection::open(url.trim_start_matches("sqlite:")).unwrap();
    connection.execute_batch("pragma synchronous = full; pragma wal_autocheckpoint = 8192").unwrap();
    connection.busy_timeout(MEASURED).unwrap();
    let start = Instant::now();
    let mut count = 0_u32;
    while start.elapsed() < MEASURED {
        let (lease, execution_id) = sessions[count as usize % sessions.len()];
        let (session, execution) = (Uuid::from(lease.session_id), Uuid::from(execution_id));
        let transaction =
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
        write_step_rows(&transaction, session, execution, text);
        transaction.commit().unwrap();
        count += 1;
    }
    f64::from(count) / start.elapsed().as_secs_f64()
}

fn write_step_rows(transaction: &rusqlite::Transaction<'_>, session: Uuid, execution: Uuid, text: &str) {
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
        transaction.prepare_cached(sql).unwrap().execute(values).unwrap();
    };
    let (first, second, now) = (Uuid::now_v7(), Uuid::now_v7(), Timestamp::now().as_micros());
    run(
        "update sessions set llm_interactions = llm_interactions + 1, input_tokens = input_tokens + 100,
         timeline_events = timeline_events + 1, last_event_id = last_event_id + 3, current_step = 'Thinking'
         where session_id = ?1",
        &[&session],
    );
    run(
        "update agent_executions set last_message_sequence = last_message_sequence + 1 where execution_id = ?1",
        &[&execution],
    );
    run(
        "insert into llm_interactions values (?1, ?2, ?3, 'iteration', 1, 'replay', 'recorded', ?4, 5, 100, 20, 5, 50,
         null, null, '{\"messages\":{\"through\":1}}', '{\"text\":\"…\"}')",
        &[&first, &session, &execution, &now],
    );
    run(
        "insert into messages (message_id, execution_id, sequence, role, created_at_us, content)
         select ?1, execution_id, last_message_sequence, 'assistant', ?2, ?3
         from agent_executions where execution_id = ?4",
        &[&second, &now, &text, &execution],
    );
    run(
        "insert into timeline_events (timeline_event_id, session_id, execution_id, position, sequence, event_type,
           created_at_us, completed_at_us, metadata, content)
         select ?1, session_id, ?2, timeline_events, 1, 'llm_thinking', ?3, ?3, '{}', ?4
         from sessions where session_id = ?5",
        &[&second, &execution, &now, &text, &session],
    );
    run(
        "insert into search_index (rowid, words)
         select (session_number << 20) + timeline_events, ?1 from sessions where session_id = ?2",
        &[&"api 7f9c because its limit memory pod reached restarted the was", &session],
    );
    let payload =
        format!("{{\"session_id\":\"{session}\",\"execution_id\":\"{execution}\",\"kind\":\"llm\"}}");
    for back in 0..3 {
        run(
            "insert into events (channel, event_id, event_type, created_at_us, payload)
             select 'session:' || ?1, last_event_id - ?2, 'interaction.created', ?3, ?4
             from sessions where session_id = ?5",
            &[&session.to_string(), &back, &now, &payload, &session],
        );
    }
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

/// Measures how often per second `writers` concurrent tasks complete `work`.
pub(crate) async fn rate<W, F>(writers: usize, work: W) -> f64
where
    W: Fn() -> F + Clone + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..writers {
        let work = work.clone();
        tasks.spawn(async move {
            let mut count = 0u32;
            while start.elapsed() < MEASURED {
                work().await;
                count += 1;
            }
            count
        });
    }
    let total: u32 = tasks.join_all().await.into_iter().sum();
    f64::from(total) / start.elapsed().as_secs_f64()
}
