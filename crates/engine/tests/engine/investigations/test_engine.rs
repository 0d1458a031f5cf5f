//! A complete engine on a real database, with a scripted model and a tool server behind HTTP.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tarsy_agent::Prompts;
use tarsy_config::{Config, Environment, Loaded};
use tarsy_domain::{ChatMessageId, SessionId, TimelineEventType, Timestamp};
use tarsy_engine::{Engine, EngineResources, Maskers, Models, Runbooks, Servers};
use tarsy_store::{
    ChatMessage, ClaimLimit, Claimed, Execution, QueueLimit, Session, SessionInput, Stage, Store,
    SubmitOutcome, TimelineEvent,
};
use tarsy_testkit::{ModelServer, ScriptedReply, ScriptedRequest, TestDatabase, ToolServer, alert_for};
use tarsy_tools::Guard;
use tempfile::TempDir;
use tokio::time::timeout;

/// Time limit for a condition that should be met soon.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// The agents of all tests. They use the tools of `shed`, except `speaks` and `writes`, which have none.
const AGENTS: &str = "
  a: { mcp_servers: [shed], iteration_strategy: native-thinking }
  b: { mcp_servers: [shed], iteration_strategy: native-thinking }
  c: { mcp_servers: [shed], iteration_strategy: native-thinking }
  reacts: { mcp_servers: [shed], iteration_strategy: react }
  speaks: { iteration_strategy: native-thinking }
  writes: { iteration_strategy: native-thinking }
";

/// Makes a scripted model hang until it is opened.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<AtomicBool>);

impl Gate {
    pub(crate) fn open(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Returns the reply if the gate is open; otherwise the model never replies.
    pub(crate) fn or(&self, reply: ScriptedReply) -> ScriptedReply {
        if self.0.load(Ordering::SeqCst) { reply } else { ScriptedReply::Hang }
    }
}

/// The configuration of a test engine.
#[derive(Clone, Copy)]
struct TestConfig<'a> {
    /// The chain; its YAML starts at its `stages`.
    chain: &'a str,
    /// Further sections.
    more: &'a str,
    /// Further MCP servers.
    servers: &'a str,
    /// Provider of executive summaries.
    summary_provider: &'a str,
    /// Context window of every provider.
    window: Option<u32>,
}

pub(crate) struct TestEngine {
    pub(crate) store: Store,
    pub(crate) model: ModelServer,
    pub(crate) tools: ToolServer,
    resources: Arc<EngineResources>,
    engine: Option<Engine>,
    config: Arc<Config>,
    _directory: TempDir,
}

impl TestEngine {
    /// Starts an engine for one chain, whose YAML starts at its `stages`. The script produces the model
    /// replies.
    pub(crate) async fn start(
        database: &TestDatabase,
        chain: &str,
        script: impl Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync + 'static,
    ) -> Self {
        let mut engine = Self::prepare(database, chain, "", script).await;
        engine.launch();
        engine
    }

    /// Like [`TestEngine::start`], with more configuration and without launching the engine.
    pub(crate) async fn prepare(
        database: &TestDatabase,
        chain: &str,
        more: &str,
        script: impl Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync + 'static,
    ) -> Self {
        Self::build(database, TestConfig { more, ..TestConfig::new(chain) }, script).await
    }

    /// Like [`TestEngine::prepare`], with a context window for all providers. A shutdown parks sessions
    /// immediately.
    pub(crate) async fn with_window(
        database: &TestDatabase,
        window: Option<u32>,
        chain: &str,
        script: impl Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync + 'static,
    ) -> Self {
        let more = "queue: { graceful_shutdown_timeout: 0s, poll_interval: 50ms }";
        Self::build(database, TestConfig { window, more, ..TestConfig::new(chain) }, script).await
    }

    /// Like [`TestEngine::prepare`], with more MCP servers.
    pub(crate) async fn with_servers(
        database: &TestDatabase,
        chain: &str,
        servers: &str,
        script: impl Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync + 'static,
    ) -> Self {
        Self::build(database, TestConfig { servers, ..TestConfig::new(chain) }, script).await
    }

    /// Like [`TestEngine::prepare`], with another provider for executive summaries.
    pub(crate) async fn with_summary_provider(
        database: &TestDatabase,
        provider: &str,
        chain: &str,
        more: &str,
        script: impl Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync + 'static,
    ) -> Self {
        let config = TestConfig { more, summary_provider: provider, ..TestConfig::new(chain) };
        Self::build(database, config, script).await
    }

    async fn build(
        database: &TestDatabase,
        config: TestConfig<'_>,
        script: impl Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync + 'static,
    ) -> Self {
        let (model, tools) = (ModelServer::start(script).await, ToolServer::start().await);
        let directory = tempfile::tempdir().unwrap();
        config.write(&directory, &model, &tools);
        let environment = Environment::default();
        let loaded = Config::load(Some(directory.path()), &environment);
        let Loaded { config, .. } = loaded.unwrap_or_else(|faults| panic!("{faults}"));
        let config = Arc::new(config);
        let maskers = Arc::new(Maskers::new(&config).unwrap());
        let guard = Guard { program: PathBuf::from("/nonexistent"), arguments: Vec::new() };
        let resources = Arc::new(EngineResources {
            store: database.store.clone(),
            models: Arc::new(Models::new(Arc::clone(&config), Arc::new(environment.clone()))),
            servers: Arc::new(Servers::new(Arc::clone(&config), &environment, &maskers, guard)),
            runbooks: Arc::new(Runbooks::new(&config, &environment).unwrap()),
            maskers,
            prompts: Arc::new(Prompts::builtin()),
            config: Arc::clone(&config),
        });
        Self {
            store: database.store.clone(),
            model,
            tools,
            resources,
            engine: None,
            config,
            _directory: directory,
        }
    }

    /// Launches the engine, or another one after the first was stopped.
    pub(crate) fn launch(&mut self) {
        self.engine = Some(Engine::start(Arc::clone(&self.resources)));
    }

    pub(crate) async fn stop(&mut self) {
        if let Some(engine) = self.engine.take() {
            timeout(TIMEOUT, engine.stop()).await.unwrap();
        }
    }

    pub(crate) async fn submit(&self, data: &str) -> SessionId {
        self.submit_with(data, |_| {}).await
    }

    /// Submits an alert and lets `more` change the session input.
    pub(crate) async fn submit_with(&self, data: &str, more: impl FnOnce(&mut SessionInput)) -> SessionId {
        let mut session = alert_for(&self.config.chain_for_alert_type("test").unwrap(), data);
        more(&mut session.input);
        let session_id = session.session_id;
        let outcome =
            self.store.session_insert(session, QueueLimit::Unlimited, Timestamp::now()).await.unwrap();
        assert_eq!(outcome, SubmitOutcome::Created(session_id));
        session_id
    }

    /// Claims the only queued session for a worker whose lease expires immediately.
    pub(crate) async fn claim_and_abandon(&self) -> Claimed {
        let (worker, at) = (SessionId::new().to_string(), Timestamp::now());
        let claimed = self.store.queue_claim(&worker, ClaimLimit::Unlimited, at, Duration::ZERO).await;
        claimed.unwrap().unwrap()
    }

    /// Submits an alert and waits for the end of its session.
    pub(crate) async fn investigate(&self, data: &str) -> Session {
        let session_id = self.submit(data).await;
        self.wait_for_end(session_id).await
    }

    pub(crate) async fn wait_for_end(&self, session_id: SessionId) -> Session {
        self.wait_until(session_id, |session| session.status.is_terminal()).await
    }

    /// Waits until a session meets a condition.
    pub(crate) async fn wait_until(
        &self,
        session_id: SessionId,
        condition: impl Fn(&Session) -> bool,
    ) -> Session {
        let poll = async {
            let mut tick = tokio::time::interval(Duration::from_millis(10));
            loop {
                tick.tick().await;
                let session = self.store.session_fetch(session_id).await.unwrap().unwrap();
                if condition(&session) {
                    return session;
                }
            }
        };
        match timeout(TIMEOUT, poll).await {
            Ok(session) => session,
            Err(_) => {
                panic!("timeout; the session is {:?}", self.store.session_fetch(session_id).await.unwrap())
            }
        }
    }

    pub(crate) async fn stages(&self, session: &Session) -> Vec<Stage> {
        self.store.stage_list(session.session_id).await.unwrap()
    }

    pub(crate) async fn executions(&self, session: &Session) -> Vec<Execution> {
        self.store.execution_list(session.session_id).await.unwrap()
    }

    pub(crate) async fn timeline(&self, session: &Session) -> Vec<TimelineEvent> {
        self.store.timeline_list(session.session_id, 0, 1000).await.unwrap()
    }

    /// Returns the texts of one type in the timeline.
    pub(crate) async fn texts(&self, session: &Session, kind: TimelineEventType) -> Vec<String> {
        let timeline = self.timeline(session).await.into_iter();
        timeline.filter(|event| event.entry.event_type == kind).map(|event| event.entry.content).collect()
    }

    /// Asks a chat question and waits for the answer.
    pub(crate) async fn ask(&self, session_id: SessionId, question: &str) -> String {
        let question = ChatMessage {
            chat_message_id: ChatMessageId::new(),
            author: Some("ann".to_owned()),
            execution_id: None,
            content: question.to_owned(),
            created_at: Timestamp::now(),
        };
        let before = self.store.chat_message_list(session_id).await.unwrap().len();
        self.store.chat_ask(session_id, question).await.unwrap();
        let poll = async {
            let mut tick = tokio::time::interval(Duration::from_millis(10));
            loop {
                tick.tick().await;
                let messages = self.store.chat_message_list(session_id).await.unwrap();
                if messages.len() == before + 2 {
                    return messages[before + 1].content.clone();
                }
            }
        };
        timeout(TIMEOUT, poll).await.unwrap()
    }
}

impl<'a> TestConfig<'a> {
    fn new(chain: &'a str) -> Self {
        Self { chain, more: "", servers: "", summary_provider: "sums-up", window: None }
    }

    fn write(self, directory: &TempDir, model: &ModelServer, tools: &ToolServer) {
        fs::write(directory.path().join("llm-providers.yaml"), self.providers(model)).unwrap();
        fs::write(directory.path().join("tarsy.yaml"), self.main_file(tools)).unwrap();
    }

    fn providers(self, model: &ModelServer) -> String {
        let window = self.window.map(|window| format!(", context_window: {window}")).unwrap_or_default();
        let provider = |name| {
            let url = &model.url;
            format!("  {name}: {{ type: openai-compatible, base_url: \"{url}\", model: {name}{window} }}\n")
        };
        let names = ["a", "b", "c", "reacts", "investigates", "merges", "sums-up", "chats"];
        let providers: String = names.into_iter().map(provider).collect();
        format!("llm_providers:\n{providers}")
    }

    fn main_file(self, tools: &ToolServer) -> String {
        let Self { chain, more, servers, summary_provider, .. } = self;
        let queue = if more.contains("queue:") {
            ""
        } else {
            "queue: { poll_interval: 100ms, worker_count: 8, max_concurrent_sessions: 8 }"
        };
        format!(
            "{queue}
mcp_servers:
  shed: {{ transport: {{ type: http, url: \"{url}\" }} }}
  annex: {{ transport: {{ type: http, url: \"{url}\" }} }}
  impatient: {{ transport: {{ type: http, url: \"{url}\", timeout: 2s }} }}
{servers}
agents:{AGENTS}
agent_chains:
  test:
    alert_types: [test]
    chat: {{ llm_provider: chats, iteration_strategy: native-thinking }}
    executive_summary_provider: {summary_provider}
{chain}
{more}
",
            url = tools.url
        )
    }
}
