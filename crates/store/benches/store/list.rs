//! The list of 100,000 sessions with common filters.

use std::time::Instant;

use sqlx::{Connection, PgConnection};
use tarsy_domain::{SearchQuery, SessionStatus, Timestamp};
use tarsy_store::{SessionFilter, Store};
use tarsy_testkit::TestDatabase;

pub(crate) const SESSIONS: usize = 100_000;
const PAGE: u32 = 50;
const QUERIES: usize = 400;

pub(crate) struct Measured {
    pub(crate) name: &'static str,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) rows: usize,
}

/// Returns the statements that insert 100,000 ended sessions, one second apart: 20 alert types, 10 chains, 50
/// authors, 3 % failed, 1 in 1,000 timed out. Each alert has a kilobyte; 1 in 2,000 contains a rare word, 1
/// in 50 a frequent one.
const SERIES_SQLITE: &str =
    "with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < 99999)";
const SERIES_POSTGRES: &str = "with numbers (n) as (select generate_series(0, 99999))";

fn fill_statements(series: &str, id: &str, words: Words) -> Vec<String> {
    let mut statements = vec![
        format!(
            "{series}
             insert into sessions (session_id, alert_id, alert_type, chain_id, author, status, created_at_us,
               started_at_us, completed_at_us, stages_total, stages_done, input_tokens, final_analysis)
             select {id}, 'fill-' || n, 'type-' || (n % 20), 'chain-' || (n % 10), 'author-' || (n % 50),
               case when n % 1000 = 0 then 'timed_out' when n % 33 = 0 then 'failed' else 'completed' end,
               1700000000000000 + n * cast(1000000 as bigint), 1700000000000001 + n * cast(1000000 as bigint),
               1700000060000000 + n * cast(1000000 as bigint), 3, 3, 12000,
               'The memory limit of the pod was reached. '
             from numbers"
        ),
        format!(
            "insert into session_inputs (session_id, alert_data, chain_snapshot)
             select session_id, 'alert of {}', '{{}}' from sessions where alert_id like 'fill-%'",
            "x".repeat(1000)
        ),
    ];
    statements.extend(words.statements());
    statements
}

#[derive(Clone, Copy)]
enum Words {
    Sqlite,
    Postgres,
}

impl Words {
    fn statements(self) -> Vec<String> {
        let words = "'alert pod memory kubernetes'
             || case when created_at_us / 1000000 % 2000 = 0 then ' rareword' else '' end
             || case when created_at_us / 1000000 % 50 = 0 then ' frequent' else '' end";
        match self {
            Self::Sqlite => vec![
                format!(
                    "insert into search_index (rowid, words)
                     select session_number << 20, {words} from sessions where alert_id like 'fill-%'
                     order by session_number"
                ),
                "analyze".to_owned(),
            ],
            Self::Postgres => vec![
                format!(
                    "insert into search_index (piece_id, words)
                     select session_number << 20, array_to_tsvector(string_to_array({words}, ' '))
                     from sessions where alert_id like 'fill-%'"
                ),
                "vacuum analyze".to_owned(),
            ],
        }
    }
}

pub(crate) async fn fill(database: &TestDatabase) {
    if database.url.starts_with("sqlite:") {
        let connection = rusqlite::Connection::open(database.url.trim_start_matches("sqlite:")).unwrap();
        for statement in fill_statements(SERIES_SQLITE, "randomblob(16)", Words::Sqlite) {
            connection.execute_batch(&statement).unwrap();
        }
    } else {
        let mut connection = PgConnection::connect(&database.url).await.unwrap();
        for statement in fill_statements(SERIES_POSTGRES, "gen_random_uuid()", Words::Postgres) {
            sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
        }
    }
}

fn filters() -> Vec<(&'static str, SessionFilter)> {
    let second = |n: i64| Some(Timestamp::from_micros(1_700_000_000_000_000 + n * 1_000_000));
    let all = SessionFilter::default;
    let search = |text: &str| SearchQuery::parse(text);
    vec![
        ("everything", all()),
        ("status failed", SessionFilter { statuses: vec![SessionStatus::Failed], ..all() }),
        (
            "status failed or timed out",
            SessionFilter { statuses: vec![SessionStatus::Failed, SessionStatus::TimedOut], ..all() },
        ),
        ("alert type", SessionFilter { alert_types: vec!["type-7".into()], ..all() }),
        (
            "rare status of a type and an author",
            SessionFilter {
                statuses: vec![SessionStatus::TimedOut],
                alert_types: vec!["type-0".into()],
                authors: vec!["author-0".into()],
                ..all()
            },
        ),
        (
            "nothing matches: type and author never meet",
            SessionFilter { alert_types: vec!["type-7".into()], authors: vec!["author-1".into()], ..all() },
        ),
        (
            "an hour long ago, one chain",
            SessionFilter {
                created_from: second(20_000),
                created_before: second(23_600),
                chain_ids: vec!["chain-3".into()],
                ..all()
            },
        ),
        ("search, word in 1 of 2,000", SessionFilter { search: search("rareword"), ..all() }),
        ("search, word in 1 of 50", SessionFilter { search: search("frequent"), ..all() }),
        ("search, word in every session", SessionFilter { search: search("memory"), ..all() }),
        (
            "search, word in 1 of 50, and status failed",
            SessionFilter { search: search("frequent"), statuses: vec![SessionStatus::Failed], ..all() },
        ),
    ]
}

pub(crate) async fn measure(store: &Store) -> Vec<Measured> {
    let mut measured = Vec::new();
    for (name, filter) in filters() {
        let mut times_ms = Vec::with_capacity(QUERIES);
        let mut rows = 0;
        let mut cursor = None;
        for _ in 0..QUERIES {
            let start = Instant::now();
            let page = store.session_list(&filter, cursor, PAGE).await.unwrap();
            times_ms.push(start.elapsed().as_secs_f64() * 1000.0);
            rows = rows.max(page.sessions.len());
            // Continue with the next page, and start over after the last one.
            cursor = page.next;
        }
        times_ms.sort_by(f64::total_cmp);
        measured.push(Measured {
            name,
            p50_ms: times_ms[QUERIES / 2],
            p99_ms: times_ms[QUERIES * 99 / 100],
            rows,
        });
    }
    measured
}
