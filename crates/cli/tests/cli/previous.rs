//! Compatibility with the first version of TARSy: its exports replay with the same outcome, and its databases open and resume.
//!
//! Its prompts differ from the current ones, so conversations are not compared byte for byte.
//!
//! The files in `previous/` were written by that version. Each database has a finished session and one that was
//! interrupted by `kill -9` while both of its agents waited for their models.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;

use crate::server::Server;
use crate::tarsy::{run, tarsy, text};

/// The time limit for the resumed session, generous for a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(60);

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/previous").join(name)
}

fn decompressed(name: &str) -> Vec<u8> {
    let output = Command::new("gzip").arg("-dc").arg(fixture(name)).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    output.stdout
}

fn assert_replays_with_the_same_outcome(name: &str) {
    let output = run(&["replay", &fixture(name).display().to_string()]);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn exported_checkout_session_replays_with_the_same_outcome() {
    assert_replays_with_the_same_outcome("checkout-oom.json");
}

#[test]
fn exported_certificate_session_replays_with_the_same_outcome() {
    assert_replays_with_the_same_outcome("expired-certificate.json");
}

#[test]
fn exported_database_session_replays_with_the_same_outcome() {
    assert_replays_with_the_same_outcome("slow-database.json");
}

#[test]
fn exported_session_with_a_summary_replays_with_the_same_outcome() {
    assert_replays_with_the_same_outcome("with-summary.json");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_database_opens_and_resumes() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("tarsy.db");
    fs::write(&file, decompressed("sqlite.db.gz")).unwrap();
    check_sessions(&format!("sqlite:{}", file.display())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_database_opens_and_resumes() {
    let server = std::env::var("TARSY_TEST_POSTGRES_URL").unwrap_or_else(|_| {
        panic!(
            "TARSY_TEST_POSTGRES_URL is not set: run `make test-rust`, or `scripts/with-postgres cargo test`"
        )
    });
    let name = format!("tarsy_previous_{}", std::process::id());
    psql(&server, format!("create database {name}").as_bytes());
    let url = format!("{}/{name}", server.rsplit_once('/').unwrap().0);
    psql(&url, &decompressed("postgres.sql.gz"));
    check_sessions(&url).await;
    psql(&server, format!("drop database {name} with (force)").as_bytes());
}

/// Runs SQL statements.
fn psql(url: &str, statements: &[u8]) {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts");
    let programs = Command::new(scripts.join("postgres-bin")).output().unwrap();
    let mut child = Command::new(Path::new(text(&programs.stdout).trim()).join("psql"))
        .args(["--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", url])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(statements).unwrap();
    assert!(child.wait().unwrap().success(), "psql failed");
}

/// Starts a server on the database and checks both sessions.
async fn check_sessions(database_url: &str) {
    let config = fixture("config").display().to_string();
    let server = Server::start(
        tarsy(&["serve", "--listen", "127.0.0.1:0", "--config-dir", &config])
            .env("TARSY_DATABASE_URL", database_url)
            .env("PROGRAM", env!("CARGO_BIN_EXE_tarsy")),
    );
    let finished = session_of_type(&server, "finished").await;
    assert_eq!(finished["status"], "completed", "{finished}");
    assert_eq!(finished["llm_interactions"], 5, "{finished}");
    let export = export_of(&server, &finished).await;
    let outcome = &export["session"]["outcome"];
    assert_eq!(outcome["final_analysis"], "The orders are slow because an index is invalid.");

    let resumed = timeout(TIME_LIMIT, ended_session(&server, "interrupted")).await;
    let resumed = resumed.unwrap_or_else(|_| panic!("the session did not end within {TIME_LIMIT:?}"));
    assert_eq!(resumed["status"], "completed", "{resumed}");
    // Three model calls and one summary of the caller, two calls of the reactor, synthesis, conclusion, executive
    // summary. Four calls were recorded before the interruption; a repeated one would be counted twice.
    assert_eq!(
        (&resumed["llm_interactions"], &resumed["mcp_interactions"]),
        (&9.into(), &4.into()),
        "{resumed}"
    );
    let export = export_of(&server, &resumed).await;
    let outcome = &export["session"]["outcome"];
    assert_eq!(outcome["final_analysis"], "The orders are slow because an index is invalid.");
    assert_eq!(outcome["executive_summary"], "An invalid index slows the orders down.");
    replay_export(&export);
}

/// Replays a session that the first version started and this version finished.
fn replay_export(export: &Value) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("session.json");
    fs::write(&file, export.to_string()).unwrap();
    let output = run(&["replay", &file.display().to_string()]);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
}

async fn ended_session(server: &Server, alert_type: &str) -> Value {
    let mut tick = tokio::time::interval(Duration::from_millis(100));
    loop {
        tick.tick().await;
        let session = session_of_type(server, alert_type).await;
        if !session["completed_at_us"].is_null() {
            return session;
        }
    }
}

async fn session_of_type(server: &Server, alert_type: &str) -> Value {
    let list: Value = serde_json::from_str(&server.get("/api/v1/sessions").await).unwrap();
    let mut sessions = list["sessions"].as_array().unwrap().iter();
    let session = sessions.find(|session| session["alert_type"] == alert_type);
    session.unwrap_or_else(|| panic!("no {alert_type} session: {list}")).clone()
}

async fn export_of(server: &Server, session: &Value) -> Value {
    let id = session["session_id"].as_str().unwrap();
    serde_json::from_str(&server.get(&format!("/api/v1/sessions/{id}/export")).await).unwrap()
}
