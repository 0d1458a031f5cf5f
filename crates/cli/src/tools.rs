//! `tarsy tools`: which MCP servers there are and how they do, and what an agent would see of a call.

mod call;
mod list;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use tarsy_agent::Prompts;
use tarsy_config::{Config, Environment, Loaded};
use tarsy_domain::SessionId;
use tarsy_engine::{Caller, Maskers, Models, Servers, SessionMask, UnknownServer};
use tarsy_tools::ToolBox;
use tokio_util::sync::CancellationToken;

use crate::arguments::{ListToolsArguments, Shared, ToolsArguments, ToolsCommand};
use crate::check::print_warnings;
use crate::exit_status::MISUSED;
use crate::mcp_guard::own_guard;
use crate::prompts::load_prompts;
use crate::serve::stop_on_signal;
use crate::terminal::say;

/// Lists tools or calls one.
pub(crate) fn tools(shared: &Shared, arguments: &ToolsArguments) -> anyhow::Result<ExitCode> {
    // Clap's own way to say this forbids the flags that every command has, too.
    if arguments.command.is_some() && arguments.list != ListToolsArguments::default() {
        say("--server and --json are for the list, not for a call")?;
        return Ok(ExitCode::from(MISUSED));
    }
    let bench = Bench::new(shared)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting the runtime")?;
    runtime.block_on(async {
        let stop = stop_on_signal()?;
        let ended = match &arguments.command {
            None => list::list(&bench, &arguments.list, &stop).await,
            Some(ToolsCommand::Call(call)) => call::call(&bench, call, &stop).await,
        };
        bench.servers.close().await;
        ended
    })
}

/// What the commands work with.
struct Bench {
    config: Arc<Config>,
    models: Models,
    prompts: Arc<Prompts>,
    servers: Servers,
    mask: SessionMask,
}

impl Bench {
    fn new(shared: &Shared) -> anyhow::Result<Self> {
        let environment = Environment::from_process();
        let Loaded { config, warnings } = Config::load(shared.config_dir(), &environment)?;
        print_warnings(&warnings)?;
        let prompts = Arc::new(load_prompts(&config)?);
        let (config, environment) = (Arc::new(config), Arc::new(environment));
        let maskers = Arc::new(Maskers::new(&config)?);
        Ok(Self {
            models: Models::new(Arc::clone(&config), Arc::clone(&environment)),
            servers: Servers::new(Arc::clone(&config), &environment, &maskers, own_guard()?),
            // A session of one command, which nobody keeps.
            mask: SessionMask::new(maskers, SessionId::new()),
            prompts,
            config,
        })
    }

    fn server_names(&self) -> Vec<String> {
        self.config.mcp_servers().keys().cloned().collect()
    }

    /// The tools of these servers, or nothing if somebody does not want to wait any longer.
    async fn open(
        &self,
        servers: &[String],
        stop: &CancellationToken,
    ) -> Result<Option<ToolBox>, UnknownServer> {
        tokio::select! {
            toolbox = self.servers.open(servers, Caller::by_hand(), &self.mask) => toolbox.map(Some),
            () = stop.cancelled() => Ok(None),
        }
    }
}
