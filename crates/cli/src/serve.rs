//! `tarsy serve`: everything in one process, wired together in one place.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use tarsy_agent::Prompts;
use tarsy_config::{Config, Diagnostic, Environment, Loaded};
use tarsy_engine::{Engine, EngineWatch, Maskers, Models, Parts, Runbooks, Servers};
use tarsy_server::{Access, App, Doors, Listening, Webhooks, router};
use tarsy_store::Store;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::arguments::{ServeArguments, Shared};
use crate::check::print_warnings;
use crate::database::database_url;
use crate::llm_serve::ModelDesk;
use crate::mcp_guard::own_guard;
use crate::prompts::load_prompts;
use crate::system_report::{Lookout, standing_warnings};
use crate::version::VERSION;

/// Serves until the process is told to stop.
pub(crate) fn serve(shared: &Shared, arguments: &ServeArguments) -> anyhow::Result<()> {
    let environment = Environment::from_process();
    let Loaded { config, warnings } = Config::load(shared.config_dir(), &environment)?;
    print_warnings(&warnings)?;
    let outfit = Outfit::new(Arc::new(config), environment, warnings)?;
    let url = database_url(shared)?;
    runtime()?.block_on(async {
        let stop = stop_on_signal()?;
        let offered = offer_models(Arc::clone(&outfit.models), arguments, &stop);
        let serving = run(&outfit, &url, arguments.listen, stop.clone(), async |open: Open| announce(&open));
        tokio::try_join!(serving, offered)?;
        Ok(())
    })
}

/// What everything runs on.
pub(crate) fn runtime() -> anyhow::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting the runtime")
}

/// A server that is about to let people in.
pub(crate) struct Open {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    pub(crate) app: App,
}

fn announce(open: &Open) -> anyhow::Result<()> {
    writeln!(std::io::stdout(), "listening on http://{}", open.address).context("writing the address")
}

/// What the engine works with, apart from the store.
pub(crate) struct Outfit {
    config: Arc<Config>,
    prompts: Arc<Prompts>,
    models: Arc<Models>,
    maskers: Arc<Maskers>,
    servers: Arc<Servers>,
    runbooks: Arc<Runbooks>,
    webhooks: Webhooks,
    /// What was worth knowing about the configuration.
    warnings: Vec<Diagnostic>,
}

impl Outfit {
    pub(crate) fn new(
        config: Arc<Config>,
        environment: Environment,
        warnings: Vec<Diagnostic>,
    ) -> anyhow::Result<Self> {
        let maskers = Arc::new(Maskers::new(&config)?);
        let servers = Servers::new(Arc::clone(&config), &environment, &maskers, own_guard()?);
        Ok(Self {
            prompts: Arc::new(load_prompts(&config)?),
            runbooks: Arc::new(Runbooks::new(&config, &environment)?),
            webhooks: Webhooks::new(&config, &environment)?,
            models: Arc::new(Models::new(Arc::clone(&config), Arc::new(environment))),
            servers: Arc::new(servers),
            maskers,
            config,
            warnings,
        })
    }

    /// What tells how all of it is doing.
    fn lookout(&self, engine: EngineWatch) -> Lookout {
        Lookout {
            config: Arc::clone(&self.config),
            servers: Arc::clone(&self.servers),
            engine,
            standing: standing_warnings(&self.config, &self.warnings, &self.prompts),
        }
    }

    /// What everything goes by.
    pub(crate) fn config(&self) -> Arc<Config> {
        Arc::clone(&self.config)
    }

    /// Ends what was started for the work.
    pub(crate) async fn close(&self) {
        self.servers.close().await;
    }

    /// All that an engine needs.
    pub(crate) fn parts(&self, store: Store) -> Parts {
        Parts {
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

/// Offers the models to others too, if somebody said where.
async fn offer_models(
    models: Arc<Models>,
    arguments: &ServeArguments,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    let Some(address) = arguments.llm_listen else { return Ok(()) };
    let desk = ModelDesk::open(address).await?;
    desk.serve(models, stop.clone()).await
}

/// Serves until it is told to stop. `opened` is called once, when alerts can come in.
pub(crate) async fn run(
    outfit: &Outfit,
    url: &str,
    listen: SocketAddr,
    stop: CancellationToken,
    opened: impl AsyncFnOnce(Open) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let access = Access::new(&outfit.config);
    let listening = Listening::bind_for(&access, listen).await?;
    let store = tokio::select! {
        opened = Store::open(url) => opened?,
        () = stop.cancelled() => return Ok(()),
    };
    let (config, version) = (Arc::clone(&outfit.config), VERSION);
    let doors = Doors { access, webhooks: outfit.webhooks.clone() };
    let app = App::new(store.clone(), config, doors, version, stop.clone())?;
    info!(
        server.address = %listening.address,
        store.engine = ?store.engine_kind(),
        config.chains = outfit.config.chains().len(),
        prompts.replaced = outfit.prompts.overridden().count(),
        "started"
    );
    opened(Open { address: listening.address, app: app.clone() }).await?;
    let engine = Engine::start(Arc::new(outfit.parts(store.clone())));
    let app = app.beside(outfit.lookout(engine.watch()).reporter());
    listening.serve(router(app), stop).await;
    engine.stop().await;
    outfit.close().await;
    store.close().await;
    info!("stopped");
    Ok(())
}

/// Cancelled by the first SIGTERM or SIGINT; a second one ends the process the hard way.
pub(crate) fn stop_on_signal() -> anyhow::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let told = stop.clone();
    let mut terminate = signal(SignalKind::terminate()).context("listening for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("listening for SIGINT")?;
    tokio::spawn(async move {
        tokio::select! { _ = terminate.recv() => {} _ = interrupt.recv() => {} }
        info!("stopping");
        told.cancel();
        tokio::select! { _ = terminate.recv() => {} _ = interrupt.recv() => {} }
        std::process::exit(1);
    });
    Ok(stop)
}
