//! `tarsy serve`: everything in one process, wired together in one place.

use std::io::Write;
use std::sync::Arc;

use anyhow::Context;
use tarsy_agent::Prompts;
use tarsy_config::{Config, Environment, Loaded};
use tarsy_engine::Models;
use tarsy_server::{App, Listening, router};
use tarsy_store::Store;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::arguments::{ServeArguments, Shared};
use crate::check::print_warnings;
use crate::database::database_url;
use crate::llm_serve::ModelDesk;
use crate::prompts::load_prompts;

/// Serves until the process is told to stop.
pub(crate) fn serve(shared: &Shared, arguments: &ServeArguments) -> anyhow::Result<()> {
    let environment = Environment::from_process();
    let Loaded { config, warnings } = Config::load(shared.config_dir(), &environment)?;
    print_warnings(&warnings)?;
    let prompts = load_prompts(&config)?;
    let config = Arc::new(config);
    let models = Models::new(Arc::clone(&config), Arc::new(environment));
    let url = database_url(shared)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting the runtime")?;
    runtime.block_on(async {
        let stop = stop_on_signal()?;
        let running = run(&config, &prompts, &url, arguments, stop.clone());
        tokio::try_join!(running, offer_models(models, arguments, &stop))?;
        Ok(())
    })
}

/// Offers the models to others too, if somebody said where.
async fn offer_models(
    models: Models,
    arguments: &ServeArguments,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    let Some(address) = arguments.llm_listen else { return Ok(()) };
    let desk = ModelDesk::open(address).await?;
    desk.serve(models, stop.clone()).await
}

async fn run(
    config: &Config,
    prompts: &Prompts,
    url: &str,
    arguments: &ServeArguments,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let listening = Listening::bind(arguments.listen).await?;
    let store = tokio::select! {
        opened = Store::open(url) => opened?,
        () = stop.cancelled() => return Ok(()),
    };
    let app = App { store: store.clone(), version: env!("CARGO_PKG_VERSION") };
    info!(
        server.address = %listening.address,
        store.engine = ?store.engine_kind(),
        config.chains = config.chains().len(),
        prompts.replaced = prompts.overridden().count(),
        "started"
    );
    writeln!(std::io::stdout(), "listening on http://{}", listening.address)
        .context("writing the address")?;
    let served = listening.serve(router(app), stop).await;
    store.close().await;
    info!("stopped");
    served.map_err(Into::into)
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
