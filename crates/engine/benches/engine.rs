//! The cost of the engine: sessions per second, CPU time per step, memory per waiting session.
//!
//! Models and tools are scripted, reply immediately, and run in another process, so that their time and
//! memory are not measured. A session consists of two model calls and one tool call of one agent, and the
//! executive summary. The baseline is the store alone: the same number of steps, recorded by the same number
//! of writers.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints, and fails by panicking"
)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tarsy_agent::Prompts;
use tarsy_config::{Config, Environment};
use tarsy_domain::{SessionId, SessionStatus, Timestamp};
use tarsy_engine::{Engine, EngineResources, Maskers, Models, Runbooks, Servers};
use tarsy_store::{ClaimLimit, QueueLimit, SessionOutcome, Store};
use tarsy_testkit::{
    ModelServer, ScriptedReply, ScriptedRequest, TestDatabase, ToolServer, alert_for, execution, model_step,
    opening,
};
use tarsy_tools::Guard;

const SESSIONS: usize = 400;
const WORKERS: usize = 32;
/// Recorded steps of one session.
const STEPS: usize = 4;
const WAITING_SESSIONS: [usize; 2] = [1_000, 5_000];
const HOUR: Duration = Duration::from_secs(3600);

fn main() {
    if std::env::args().nth(1).as_deref() == Some("edges") {
        return serve_edges();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        println!("{SESSIONS} sessions of {STEPS} steps, {WORKERS} concurrently; the model and the tools reply immediately\n");
        println!("{:<10} {:>12} {:>16} {:>18} {:>22}", "database", "sessions/s", "steps/s", "CPU per step", "steps/s, store only");
        throughput("SQLite", TestDatabase::sqlite().await).await;
        throughput("PostgreSQL", TestDatabase::postgres().await).await;
        println!("\nSessions that wait for a model reply, in one process\n");
        println!("{:>10} {:>14} {:>20}", "sessions", "memory", "per session");
        for sessions in WAITING_SESSIONS {
            waiting(sessions).await;
        }
    });
}

async fn throughput(name: &str, database: TestDatabase) {
    let alone = store_alone(&database.store).await;
    let bench = Bench::start(database.store.clone(), "quick", WORKERS).await;
    for _ in 0..SESSIONS {
        bench.submit().await;
    }
    let (began, cpu) = (Instant::now(), cpu_time());
    let engine = Engine::start(Arc::clone(&bench.resources));
    bench.until_completed(SESSIONS).await;
    let (took, cpu) = (began.elapsed(), cpu_time() - cpu);
    engine.stop().await;
    database.remove().await;
    let sessions = SESSIONS as f64 / took.as_secs_f64();
    println!(
        "{name:<10} {sessions:>12.0} {:>16.0} {:>15.0} µs {alone:>22.0}",
        sessions * STEPS as f64,
        cpu.as_micros() as f64 / (SESSIONS * STEPS) as f64
    );
}

/// Returns the steps per second that the same number of writers record without an engine.
async fn store_alone(store: &Store) -> f64 {
    let began = Instant::now();
    let writers: Vec<_> = (0..WORKERS)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut session = tarsy_testkit::new_session(&SessionId::new().to_string());
                session.stages.clear();
                let now = Timestamp::now();
                store.session_insert(session, QueueLimit::Unlimited, now).await.unwrap();
                let claimed = store.queue_claim("w", ClaimLimit::Unlimited, Timestamp::now(), HOUR).await;
                let lease = claimed.unwrap().unwrap().lease;
                let execution = execution();
                let id = execution.execution_id;
                store.execution_begin(lease, execution, opening(), now).await.unwrap();
                for _ in 0..SESSIONS * STEPS / WORKERS {
                    store.step_record(lease, model_step(id, "It is the memory.", now), now).await.unwrap();
                }
                // Ended, so that it does not count as a running session.
                let outcome = SessionOutcome {
                    status: SessionStatus::Failed,
                    final_analysis: None,
                    executive_summary: None,
                    error_message: None,
                };
                store.session_finish(lease, outcome, now).await.unwrap();
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    (SESSIONS * STEPS) as f64 / began.elapsed().as_secs_f64()
}

async fn waiting(sessions: usize) {
    let database = TestDatabase::sqlite().await;
    let bench = Bench::start(database.store.clone(), "silent", sessions).await;
    for _ in 0..sessions {
        bench.submit().await;
    }
    let (memory, files) = (memory(), open_files());
    let engine = Engine::start(Arc::clone(&bench.resources));
    // Each session then has a connection to its model.
    while open_files() < files + sessions {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let used = self::memory() - memory;
    println!(
        "{sessions:>10} {:>11.1} MB {:>17.1} kB",
        used as f64 / 1e6,
        used as f64 / 1e3 / sessions as f64
    );
    bench.cancel_all().await;
    engine.stop().await;
    database.remove().await;
}

/// The resources of an engine, with models and tools in another process.
struct Bench {
    resources: Arc<EngineResources>,
    sessions: std::sync::Mutex<Vec<SessionId>>,
    edges: Child,
    _directory: tempfile::TempDir,
}

impl Bench {
    async fn start(store: Store, model: &str, workers: usize) -> Self {
        let mut edges = Command::new(std::env::current_exe().unwrap())
            .arg("edges")
            .stdout(Stdio::piped())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(edges.stdout.take().unwrap()).lines().map(Result::unwrap);
        let (model_url, tool_url) = (lines.next().unwrap(), lines.next().unwrap());
        let directory = tempfile::tempdir().unwrap();
        let providers = format!(
            "llm_providers:\n  m: {{ type: openai-compatible, base_url: \"{model_url}\", model: {model} }}\n"
        );
        fs::write(directory.path().join("llm-providers.yaml"), providers).unwrap();
        let config = format!(
            "queue: {{ worker_count: {workers}, max_concurrent_sessions: {workers}, graceful_shutdown_timeout: 0s }}
defaults: {{ llm_provider: m }}
mcp_servers: {{ shed: {{ transport: {{ type: http, url: \"{tool_url}\" }} }} }}
agents: {{ a: {{ mcp_servers: [shed], iteration_strategy: native-thinking, iteration_timeout: 1h }} }}
agent_chains: {{ test: {{ alert_types: [test], stages: [{{ name: look, agent: a }}] }} }}
"
        );
        fs::write(directory.path().join("tarsy.yaml"), config).unwrap();
        let environment = Environment::default();
        let config = Arc::new(Config::load(Some(directory.path()), &environment).unwrap().config);
        let maskers = Arc::new(Maskers::new(&config).unwrap());
        let guard = Guard { program: "/nonexistent".into(), arguments: Vec::new() };
        let resources = EngineResources {
            store,
            models: Arc::new(Models::new(Arc::clone(&config), Arc::new(environment.clone()))),
            servers: Arc::new(Servers::new(Arc::clone(&config), &environment, &maskers, guard)),
            runbooks: Arc::new(Runbooks::new(&config, &environment).unwrap()),
            maskers,
            prompts: Arc::new(Prompts::builtin()),
            config,
        };
        Self {
            resources: Arc::new(resources),
            sessions: std::sync::Mutex::default(),
            edges,
            _directory: directory,
        }
    }

    async fn submit(&self) {
        let chain = self.resources.config.chain_for_alert_type("test").unwrap();
        let session = alert_for(&chain, "{\"pod\": \"shop-7d4b9c\"}");
        let session_id = session.session_id;
        self.resources.store.session_insert(session, QueueLimit::Unlimited, Timestamp::now()).await.unwrap();
        self.sessions.lock().unwrap().push(session_id);
    }

    async fn until_completed(&self, sessions: usize) {
        let all = u64::try_from(sessions).unwrap();
        while self.resources.store.session_counts().await.unwrap().get(&SessionStatus::Completed)
            != Some(&all)
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn cancel_all(&self) {
        let sessions = self.sessions.lock().unwrap().clone();
        for session_id in sessions {
            self.resources.store.session_cancel(session_id, None, Timestamp::now()).await.unwrap();
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.edges.kill().unwrap();
        self.edges.wait().unwrap();
    }
}

/// Serves models and tools until the process is killed.
fn serve_edges() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let model = ModelServer::start(script).await;
        let tools = ToolServer::start().await;
        println!("{}\n{}", model.url, tools.url);
        std::future::pending::<()>().await;
    });
}

fn script(request: &ScriptedRequest) -> ScriptedReply {
    match (request.model.as_str(), request.results()) {
        ("silent", _) => ScriptedReply::Hang,
        (_, 0) if request.messages.len() == 2 && request.text().contains("shed") => ScriptedReply::Calls(
            "I look.".to_owned(),
            vec![("shed__look".to_owned(), json!({ "pod": "shop-7d4b9c" }))],
        ),
        _ => ScriptedReply::Text("The pod ran out of memory and was restarted.".to_owned()),
    }
}

/// Returns the CPU time of this process.
fn cpu_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    Duration::from_millis(10 * (fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()))
}

/// Returns the resident memory of this process, in bytes.
fn memory() -> u64 {
    let pages = fs::read_to_string("/proc/self/statm").unwrap();
    4096 * pages.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
}

fn open_files() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}
