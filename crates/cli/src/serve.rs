//! `tarsy serve`: creates all parts of the server and connects them.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use tarsy_agent::Prompts;
use tarsy_config::{Config, Diagnostic, Environment, Loaded};
use tarsy_engine::{Engine, EngineResources, EngineWatch, Maskers, Models, Runbooks, Servers};
use tarsy_server::{AccessMode, AccessPolicy, App, Listening, WebhookAuth, router};
use tarsy_store::Store;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::arguments::{GlobalArguments, ServeArguments};
use crate::check::print_warnings;
use crate::database::{database_url, store_options};
use crate::llm_serve::ModelListener;
use crate::mcp_guard::own_guard;
use crate::prompts::load_prompts;
use crate::runbook_list::runbook_lister;
use crate::signals::stop_on_signal;
use crate::system_report::{SystemMonitor, static_warnings};
use crate::version::VERSION;

/// Serves until the process receives a signal.
pub(crate) fn serve(global: &GlobalArguments, arguments: &ServeArguments) -> anyhow::Result<()> {
    let Loaded { config, warnings } = Config::load(global.config_dir(), &Environment::from_process())?;
    print_warnings(&warnings)?;
    let resources = ProcessResources::new(Arc::new(config), warnings)?;
    let url = database_url(global)?;
    runtime()?.block_on(async {
        let stop = stop_on_signal()?;
        let models = serve_models(Arc::clone(&resources.models), arguments, &stop);
        let serving =
            run(&resources, &url, arguments.listen, stop.clone(), async |server: ListeningServer| {
                announce(&server)
            });
        tokio::try_join!(serving, models)?;
        Ok(())
    })
}

/// Creates the multi-threaded runtime.
pub(crate) fn runtime() -> anyhow::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting the runtime")
}

/// A server that is bound to its address and about to accept requests.
pub(crate) struct ListeningServer {
    /// The address it listens on.
    pub(crate) address: SocketAddr,
    pub(crate) app: App,
}

fn announce(server: &ListeningServer) -> anyhow::Result<()> {
    writeln!(std::io::stdout(), "listening on http://{}", server.address).context("writing the address")
}

/// Everything that is created from the configuration: what the engine needs except the store, webhooks and warnings.
pub(crate) struct ProcessResources {
    config: Arc<Config>,
    prompts: Arc<Prompts>,
    models: Arc<Models>,
    maskers: Arc<Maskers>,
    servers: Arc<Servers>,
    runbooks: Arc<Runbooks>,
    webhooks: WebhookAuth,
    /// Warnings about the configuration.
    warnings: Vec<Diagnostic>,
}

impl ProcessResources {
    pub(crate) fn new(config: Arc<Config>, warnings: Vec<Diagnostic>) -> anyhow::Result<Self> {
        let environment = config.environment();
        let maskers = Arc::new(Maskers::new(&config)?);
        let servers = Servers::new(Arc::clone(&config), environment, &maskers, own_guard()?);
        Ok(Self {
            prompts: Arc::new(load_prompts(&config)?),
            runbooks: Arc::new(Runbooks::new(&config, environment)?),
            webhooks: WebhookAuth::new(&config, environment)?,
            models: Arc::new(Models::new(Arc::clone(&config), Arc::new(environment.clone()))),
            servers: Arc::new(servers),
            maskers,
            config,
            warnings,
        })
    }

    /// Creates the monitor for system reports.
    fn monitor(&self, engine: EngineWatch) -> SystemMonitor {
        SystemMonitor {
            config: Arc::clone(&self.config),
            servers: Arc::clone(&self.servers),
            engine,
            static_warnings: static_warnings(&self.config, &self.warnings, &self.prompts),
        }
    }

    /// Returns the configuration.
    pub(crate) fn config(&self) -> Arc<Config> {
        Arc::clone(&self.config)
    }

    /// Stops the MCP servers.
    pub(crate) async fn close(&self) {
        self.servers.close().await;
    }

    /// Returns the resources of an engine.
    pub(crate) fn for_engine(&self, store: Store) -> EngineResources {
        EngineResources {
            store,
            config: Arc::clone(&self.config),
            prompts: Arc::clone(&self.prompts),
            models: Arc::clone(&self.models),
            maskers: Arc::clone(&self.maskers),
            servers: Arc::clone(&self.servers),
            runbooks: Arc::clone(&self.runbooks),
        }
    }
}

/// Serves the models over gRPC if an address was given.
async fn serve_models(
    models: Arc<Models>,
    arguments: &ServeArguments,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    let Some(address) = arguments.llm_listen else { return Ok(()) };
    let listener = ModelListener::bind(address).await?;
    listener.serve(models, stop.clone()).await
}

/// Serves until `stop` is cancelled. Calls `opened` once, when the server accepts alerts.
pub(crate) async fn run(
    resources: &ProcessResources,
    url: &str,
    listen: SocketAddr,
    stop: CancellationToken,
    opened: impl AsyncFnOnce(ListeningServer) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let access = AccessMode::new(&resources.config);
    let listening = Listening::bind_for(&access, listen).await?;
    let store = tokio::select! {
        opened = Store::open_with(url, store_options(&resources.config)) => opened?,
        () = stop.cancelled() => return Ok(()),
    };
    let (config, version) = (Arc::clone(&resources.config), VERSION);
    let policy = AccessPolicy { access, webhooks: resources.webhooks.clone() };
    let app = App::new(store.clone(), config, policy, version, stop.clone())?;
    let app = app.with_runbook_lister(runbook_lister(Arc::clone(&resources.runbooks)));
    info!(
        server.address = %listening.address,
        store.engine = ?store.engine_kind(),
        config.chains = resources.config.chains().len(),
        prompts.replaced = resources.prompts.overridden().count(),
        "started"
    );
    opened(ListeningServer { address: listening.address, app: app.clone() }).await?;
    let engine = Engine::start(Arc::new(resources.for_engine(store.clone())));
    let app = app.with_reporter(resources.monitor(engine.watch()).reporter());
    listening.serve(router(app), stop).await;
    engine.stop().await;
    resources.close().await;
    store.close().await;
    info!("stopped");
    Ok(())
}
