//! The environment of the processes: model, tools, configuration and database.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::time::Duration;

use tarsy_config::{Config, Environment, Loaded, ResolvedChain};
use tarsy_store::Store;
use tarsy_testkit::{ModelServer, ScriptedReply, ScriptedRequest, ToolServer};
use tempfile::TempDir;

use crate::replica::Replica;
use crate::script::{AGENTS, CHAINS, MODELS, STAGES};
use crate::sessions::until;

/// The environment of the processes.
pub(crate) struct TestEnvironment {
    pub(crate) model: ModelServer,
    pub(crate) tools: ToolServer,
    pub(crate) config: Config,
    directory: TempDir,
    database_url: String,
    started: Cell<u32>,
}

/// Short, so that a lost process is detected within a test.
pub(crate) const LEASE_MS: u64 = 1500;
/// Long, so that no session is taken over even on a busy machine.
const LONG_LEASE_MS: u64 = 30_000;

impl TestEnvironment {
    /// Creates an environment with an SQLite database.
    pub(crate) async fn on_sqlite(
        script: impl Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync + 'static,
    ) -> Self {
        Self::new(tempfile::tempdir().unwrap(), None, LEASE_MS, script).await
    }

    /// Creates an environment with SQLite in which no session is taken over.
    pub(crate) async fn without_takeover(
        script: impl Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync + 'static,
    ) -> Self {
        Self::new(tempfile::tempdir().unwrap(), None, LONG_LEASE_MS, script).await
    }

    /// Creates an environment with an existing database.
    pub(crate) async fn on(
        url: &str,
        script: impl Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync + 'static,
    ) -> Self {
        Self::new(tempfile::tempdir().unwrap(), Some(url), LEASE_MS, script).await
    }

    async fn new(
        directory: TempDir,
        database_url: Option<&str>,
        lease_ms: u64,
        script: impl Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync + 'static,
    ) -> Self {
        let (model, tools) = (ModelServer::start(script).await, ToolServer::start().await);
        write_config(directory.path(), &model, &tools, lease_ms);
        let sqlite = || format!("sqlite:{}", directory.path().join("tarsy.db").display());
        let database_url = database_url.map_or_else(sqlite, str::to_owned);
        let loaded = Config::load(Some(directory.path()), &Environment::default());
        let Loaded { config, .. } = loaded.unwrap_or_else(|errors| panic!("{errors}"));
        Self { model, tools, config, directory, database_url, started: Cell::new(0) }
    }

    pub(crate) fn start(&self) -> Replica {
        let number = self.started.get();
        self.started.set(number + 1);
        // One log per process.
        let log = self.directory.path().join(format!("replica-{number}.log"));
        Replica::start(self.directory.path(), &self.database_url, log)
    }

    /// Opens the database. Close an SQLite store soon: the file should belong to the processes under test.
    pub(crate) async fn store(&self) -> Store {
        Store::open(&self.database_url).await.unwrap()
    }

    /// Waits until the child processes of all processes have exited, also those of killed ones.
    pub(crate) async fn wait_for_child_processes(&self) {
        let started = fs::read_dir(self.directory.path().join(PIDS)).unwrap();
        for pid in started.map(|file| file.unwrap().file_name()) {
            let command = Path::new("/proc").join(pid).join("cmdline");
            let has_exited =
                || !fs::read_to_string(&command).is_ok_and(|command| command.contains("local.mjs"));
            until(TIME_LIMIT, async || has_exited()).await;
        }
    }

    pub(crate) fn chain(&self, name: &str) -> ResolvedChain {
        self.config.chain_for_alert_type(name).unwrap()
    }
}

/// The directory in which each child process leaves a file named after its id.
const PIDS: &str = "pids";
const TIME_LIMIT: Duration = Duration::from_secs(10);

fn write_config(directory: &Path, model: &ModelServer, tools: &ToolServer, lease_ms: u64) {
    let url = &model.url;
    let provider = |name: &&str| {
        format!("  {name}: {{ type: openai-compatible, base_url: \"{url}\", model: {name} }}\n")
    };
    let providers: String = MODELS.iter().map(provider).collect();
    fs::write(directory.join("llm-providers.yaml"), format!("llm_providers:\n{providers}")).unwrap();
    let chain = |(name, stages): (&&str, &&str)| {
        format!(
            "  {name}:
    alert_types: [{name}]
    executive_summary_provider: sums-up
    chat: {{ agent: calls, llm_provider: chats }}
    stages: {stages}
"
        )
    };
    let pids = directory.join(PIDS);
    fs::create_dir(&pids).unwrap();
    let local = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/local.mjs");
    let (local, pids) = (local.display(), pids.display());
    let chains: String = CHAINS.iter().zip(&STAGES).map(chain).collect();
    let text = format!(
        "queue:
  worker_count: 4
  max_concurrent_sessions: 12
  poll_interval: 100ms
  poll_interval_jitter: 50ms
  heartbeat_interval: 300ms
  lease_duration: {lease_ms}ms
  graceful_shutdown_timeout: 500ms
mcp_servers:
  shed:
    transport: {{ type: http, url: \"{}\" }}
    summarization: {{ size_threshold_tokens: 400, llm_provider: digests }}
  local: {{ transport: {{ type: stdio, command: node, args: [\"{local}\"], env: {{ PIDS: \"{pids}\" }} }} }}
{AGENTS}
agent_chains:
{chains}",
        tools.url
    );
    fs::write(directory.join("tarsy.yaml"), text).unwrap();
}
