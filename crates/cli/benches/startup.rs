//! Measures the time from the start of the server until it is ready, from the start of the demo until the first streamed text,
//! and the memory of a server.
//!
//! The baseline is the time to start the program at all: `tarsy --version`. `make bench` runs it with a private, durable
//! PostgreSQL server; without `TARSY_TEST_POSTGRES_URL`, pass `-- --skip postgres`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints, and a failed assumption ends it"
)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tarsy_domain::{SessionStatus, Timestamp};
use tarsy_store::{ClaimLimit, QueueLimit, SessionOutcome, Store};
use tarsy_testkit::{TestDatabase, execution, model_step, new_session, opening, tool_step};

const SESSIONS: usize = 1_000;
/// Recorded steps of one session.
const STEPS: usize = 10;
const STARTS: usize = 20;
const HOUR: Duration = Duration::from_secs(3600);
/// The goals of the project.
const READY_WITHIN: &str = "200 ms";
const FIRST_TEXT_WITHIN: &str = "3000 ms";
const MEMORY_BELOW: &str = "60.0 MB";

#[tokio::main]
async fn main() {
    println!("from the start until /ready returns 200, {STARTS} starts each\n");
    println!("{:<42} {:>10} {:>10} {:>10}", "", "p50", "worst", "limit");
    report("tarsy --version, the baseline", "", |_| version());
    let empty = tempfile::tempdir().unwrap();
    let new = |number| format!("sqlite:{}", empty.path().join(format!("{number}.db")).display());
    report("a new SQLite file", "", |number| Server::start(&new(number)).took);
    let sqlite = TestDatabase::sqlite().await;
    with_sessions("SQLite", &sqlite).await;
    if !std::env::args().any(|argument| argument == "postgres") {
        let postgres = TestDatabase::postgres().await;
        with_sessions("PostgreSQL", &postgres).await;
        postgres.remove().await;
    }
    report("tarsy demo, until the first streamed text", FIRST_TEXT_WITHIN, |_| first_text());
    println!("\n{:<42} {:>10} {:>10} {:>10}", "memory", "RSS", "PSS", "limit");
    let server = Server::start(&sqlite.url);
    memory("ready, on SQLite", "", &server);
    load_dashboard(server.address);
    memory("after the dashboard was loaded", MEMORY_BELOW, &server);
    drop(server);
    sqlite.remove().await;
}

/// Measures the time until the demo streams text.
fn first_text() -> Duration {
    let started = Instant::now();
    let mut child = tarsy().args(["demo", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let watch = lines.filter_map(|line| line.split_once("Watch it:").map(|(_, url)| url.trim().to_owned()));
    let url = { watch }.next().unwrap();
    let (address, session_id) = url.strip_prefix("http://").unwrap().split_once("/sessions/").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET /api/v1/sessions/{session_id}/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut received = BufReader::new(stream).lines().map(Result::unwrap);
    assert!(received.any(|line| line == "event: stream.chunk"));
    let took = started.elapsed();
    // SIGINT, as with Ctrl-C, deletes its temporary files.
    kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    assert!(child.wait().unwrap().success());
    took
}

/// Measures the start on a database with sessions.
async fn with_sessions(engine: &str, database: &TestDatabase) {
    fill(&database.store).await;
    // An SQLite file may be open in one process only.
    database.store.close().await;
    let name = format!("{engine} with {SESSIONS} sessions of {STEPS} steps");
    report(&name, READY_WITHIN, |_| Server::start(&database.url).took);
}

fn report(name: &str, limit: &str, start: impl Fn(usize) -> Duration) {
    let mut times: Vec<Duration> = (0..STARTS).map(start).collect();
    times.sort_unstable();
    let shown = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1000.0);
    let (middle, worst) = (shown(times[STARTS / 2]), shown(times[STARTS - 1]));
    println!("{name:<42} {middle:>10} {worst:>10} {limit:>10}");
}

fn version() -> Duration {
    let started = Instant::now();
    let output = tarsy().arg("--version").output().unwrap();
    assert!(output.status.success());
    started.elapsed()
}

/// Returns a command for the binary with a clean environment.
fn tarsy() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tarsy"));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("RUST_LOG", "warn");
    command
}

/// A server that is ready, killed when it is dropped.
struct Server {
    child: Child,
    address: SocketAddr,
    /// The time until it was ready.
    took: Duration,
}

impl Server {
    fn start(database_url: &str) -> Self {
        let started = Instant::now();
        let mut child = tarsy()
            .args(["serve", "--listen", "127.0.0.1:0", "--database-url", database_url])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap().parse().unwrap();
        while !get(address, "/ready").starts_with("HTTP/1.1 200 ") {}
        Self { child, address, took: started.elapsed() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // No data is lost: acknowledged writes are in the database.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a GET request and returns the response, compressed as for a browser.
fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).unwrap();
    String::from_utf8_lossy(&response).into_owned()
}

/// Requests everything that a browser requests for the first page.
fn load_dashboard(address: SocketAddr) {
    let files = "../../dashboard/dist/assets";
    let assets = fs::read_dir(files).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let assets = assets.map(|name| format!("/assets/{name}"));
    let calls = ["/", "/api/v1/me", "/api/v1/sessions", "/api/v1/sessions/active"];
    let more = ["/api/v1/sessions/filter-options", "/api/v1/system/warnings"];
    for path in calls.into_iter().chain(more).map(str::to_owned).chain(assets) {
        assert!(get(address, &path).starts_with("HTTP/1.1 200 "), "{path}");
    }
}

fn memory(name: &str, limit: &str, server: &Server) {
    let rollup = fs::read_to_string(format!("/proc/{}/smaps_rollup", server.child.id())).unwrap();
    let megabytes = |field: &str| {
        let line = rollup.lines().find_map(|line| line.strip_prefix(field)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() * 1024.0 / 1e6
    };
    println!("{name:<42} {:>7.1} MB {:>7.1} MB {limit:>10}", megabytes("Rss:"), megabytes("Pss:"));
}

/// Stores sessions that have ended.
async fn fill(store: &Store) {
    let text = "The pod ran out of memory and was started again. ".repeat(20);
    for number in 0..SESSIONS {
        let now = Timestamp::now();
        let session = new_session(&number.to_string());
        store.session_insert(session, QueueLimit::Unlimited, now).await.unwrap();
        let claimed = store.queue_claim("bench", ClaimLimit::Unlimited, now, HOUR).await.unwrap();
        let lease = claimed.unwrap().lease;
        let execution = execution();
        let id = execution.execution_id;
        store.execution_begin(lease, execution, opening(), now).await.unwrap();
        for step in 0..STEPS {
            let step = if step % 2 == 0 { model_step(id, &text, now) } else { tool_step(id, &text, now) };
            store.step_record(lease, step, now).await.unwrap();
        }
        store.session_finish(lease, completed(), now).await.unwrap();
    }
}

fn completed() -> SessionOutcome {
    SessionOutcome {
        status: SessionStatus::Completed,
        final_analysis: Some("It is the memory.".to_owned()),
        executive_summary: None,
        error_message: None,
    }
}
