//! A whole engine on a real database, with a scripted model and a real tool server behind real HTTP.

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
use tarsy_testkit::{Asked, ModelServer, Said, TestDatabase, ToolServer, alert_for};
use tarsy_tools::Guard;
use tempfile::TempDir;
use tokio::time::timeout;

/// How long a test waits for something that should come soon.
pub(crate) const SOON: Duration = Duration::from_secs(30);

/// The agents that every test has: `<name>` thinks with the model `<name>` and may use the tools of the shed.
const AGENTS: &str = "
  a: { mcp_servers: [shed], iteration_strategy: native-thinking }
  b: { mcp_servers: [shed], iteration_strategy: native-thinking }
  c: { mcp_servers: [shed], iteration_strategy: native-thinking }
  reacts: { mcp_servers: [shed], iteration_strategy: react }
";

/// A model that stops to answer at some point, until it is told to go on.
#[derive(Clone, Default)]
pub(crate) struct Brake(Arc<AtomicBool>);

impl Brake {
    pub(crate) fn release(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub(crate) fn or(&self, said: Said) -> Said {
        if self.0.load(Ordering::SeqCst) { said } else { Said::Nothing }
    }
}

pub(crate) struct Lab {
    pub(crate) store: Store,
    pub(crate) model: ModelServer,
    pub(crate) tools: ToolServer,
    resources: Arc<EngineResources>,
    engine: Option<Engine>,
    config: Arc<Config>,
    _directory: TempDir,
}

impl Lab {
    /// Starts an engine for one chain, whose YAML begins at its `stages`. Models answer by the script.
    pub(crate) async fn start(
        database: &TestDatabase,
        chain: &str,
        script: impl Fn(&Asked) -> Said + Send + Sync + 'static,
    ) -> Self {
        let mut lab = Self::prepare(database, chain, "", script).await;
        lab.begin();
        lab
    }

    /// The same with more of the configuration, and before it begins.
    pub(crate) async fn prepare(
        database: &TestDatabase,
        chain: &str,
        more: &str,
        script: impl Fn(&Asked) -> Said + Send + Sync + 'static,
    ) -> Self {
        Self::summarised_by(database, "sums-up", chain, more, script).await
    }

    /// The same with another provider for executive summaries.
    pub(crate) async fn summarised_by(
        database: &TestDatabase,
        provider: &str,
        chain: &str,
        more: &str,
        script: impl Fn(&Asked) -> Said + Send + Sync + 'static,
    ) -> Self {
        let (model, tools) = (ModelServer::start(script).await, ToolServer::start().await);
        let directory = tempfile::tempdir().unwrap();
        let chain = format!("    executive_summary_provider: {provider}\n{chain}");
        write_config(&directory, &model, &tools, &chain, more);
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

    /// Starts the engine, or starts another one after the first was stopped.
    pub(crate) fn begin(&mut self) {
        self.engine = Some(Engine::start(Arc::clone(&self.resources)));
    }

    pub(crate) async fn stop(&mut self) {
        if let Some(engine) = self.engine.take() {
            timeout(SOON, engine.stop()).await.unwrap();
        }
    }

    pub(crate) async fn submit(&self, data: &str) -> SessionId {
        self.submit_with(data, |_| {}).await
    }

    /// Submits an alert with something more in it than its text.
    pub(crate) async fn submit_with(&self, data: &str, more: impl FnOnce(&mut SessionInput)) -> SessionId {
        let mut session = alert_for(&self.config.chain_for_alert_type("test").unwrap(), data);
        more(&mut session.input);
        let session_id = session.session_id;
        let outcome =
            self.store.session_insert(session, QueueLimit::Unlimited, Timestamp::now()).await.unwrap();
        assert_eq!(outcome, SubmitOutcome::Created(session_id));
        session_id
    }

    /// Takes the only session that waits, for a worker whose lease runs out at once.
    pub(crate) async fn claim_and_vanish(&self) -> Claimed {
        let (worker, at) = (SessionId::new().to_string(), Timestamp::now());
        let claimed = self.store.queue_claim(&worker, ClaimLimit::Unlimited, at, Duration::ZERO).await;
        claimed.unwrap().unwrap()
    }

    /// Submits an alert and waits for the end of its session.
    pub(crate) async fn investigate(&self, data: &str) -> Session {
        let session_id = self.submit(data).await;
        self.ended(session_id).await
    }

    pub(crate) async fn ended(&self, session_id: SessionId) -> Session {
        self.until(session_id, |session| session.status.is_terminal()).await
    }

    /// Waits until a session is as it should be.
    pub(crate) async fn until(&self, session_id: SessionId, is: impl Fn(&Session) -> bool) -> Session {
        let look = async {
            let mut tick = tokio::time::interval(Duration::from_millis(10));
            loop {
                tick.tick().await;
                let session = self.store.session_fetch(session_id).await.unwrap().unwrap();
                if is(&session) {
                    return session;
                }
            }
        };
        match timeout(SOON, look).await {
            Ok(session) => session,
            Err(_) => panic!("it is still {:?}", self.store.session_fetch(session_id).await.unwrap()),
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

    /// The texts of one kind in the timeline.
    pub(crate) async fn texts(&self, session: &Session, kind: TimelineEventType) -> Vec<String> {
        let timeline = self.timeline(session).await.into_iter();
        timeline.filter(|event| event.entry.event_type == kind).map(|event| event.entry.content).collect()
    }

    /// Asks something in the chat and waits for the answer.
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
        let look = async {
            let mut tick = tokio::time::interval(Duration::from_millis(10));
            loop {
                tick.tick().await;
                let said = self.store.chat_message_list(session_id).await.unwrap();
                if said.len() == before + 2 {
                    return said[before + 1].content.clone();
                }
            }
        };
        timeout(SOON, look).await.unwrap()
    }
}

fn write_config(directory: &TempDir, model: &ModelServer, tools: &ToolServer, chain: &str, more: &str) {
    let providers: String = ["a", "b", "c", "reacts", "merges", "sums-up", "chats"]
        .iter()
        .map(|name| {
            format!("  {name}: {{ type: openai-compatible, base_url: \"{}\", model: {name} }}\n", model.url)
        })
        .collect();
    fs::write(directory.path().join("llm-providers.yaml"), format!("llm_providers:\n{providers}")).unwrap();
    let queue = if more.contains("queue:") {
        ""
    } else {
        "queue: { poll_interval: 100ms, worker_count: 8, max_concurrent_sessions: 8 }"
    };
    let text = format!(
        "{queue}
mcp_servers:
  shed: {{ transport: {{ type: http, url: \"{url}\" }} }}
  annex: {{ transport: {{ type: http, url: \"{url}\" }} }}
agents:{AGENTS}
agent_chains:
  test:
    alert_types: [test]
    chat: {{ llm_provider: chats, iteration_strategy: native-thinking }}
{chain}
{more}
",
        url = tools.url
    );
    fs::write(directory.path().join("tarsy.yaml"), text).unwrap();
}
