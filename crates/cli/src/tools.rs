//! `tarsy tools`: lists MCP servers with their health and tools, and calls tools.

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

use crate::arguments::{GlobalArguments, ListToolsArguments, ToolsArguments, ToolsCommand};
use crate::check::print_warnings;
use crate::exit_status::USAGE_ERROR;
use crate::mcp_guard::own_guard;
use crate::prompts::load_prompts;
use crate::signals::stop_on_signal;
use crate::terminal::eprint_line;

/// Lists tools or calls one.
pub(crate) fn tools(global: &GlobalArguments, arguments: &ToolsArguments) -> anyhow::Result<ExitCode> {
    // Clap's own check for this would also reject the global flags.
    if arguments.command.is_some() && arguments.list != ListToolsArguments::default() {
        eprint_line("--server and --json apply to the list only, not to `call`")?;
        return Ok(ExitCode::from(USAGE_ERROR));
    }
    let context = ToolContext::new(global)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting the runtime")?;
    runtime.block_on(async {
        let stop = stop_on_signal()?;
        let result = match &arguments.command {
            None => list::list(&context, &arguments.list, &stop).await,
            Some(ToolsCommand::Call(call)) => call::call(&context, call, &stop).await,
        };
        context.servers.close().await;
        result
    })
}

/// The configuration, models and servers of the commands.
struct ToolContext {
    config: Arc<Config>,
    models: Models,
    prompts: Arc<Prompts>,
    servers: Servers,
    mask: SessionMask,
}

impl ToolContext {
    fn new(global: &GlobalArguments) -> anyhow::Result<Self> {
        let Loaded { config, warnings } = Config::load(global.config_dir(), &Environment::from_process())?;
        print_warnings(&warnings)?;
        let prompts = Arc::new(load_prompts(&config)?);
        let environment = Arc::new(config.environment().clone());
        let config = Arc::new(config);
        let maskers = Arc::new(Maskers::new(&config)?);
        Ok(Self {
            models: Models::new(Arc::clone(&config), Arc::clone(&environment)),
            servers: Servers::new(Arc::clone(&config), &environment, &maskers, own_guard()?),
            // The session is not stored.
            mask: SessionMask::new(maskers, SessionId::new()),
            prompts,
            config,
        })
    }

    fn server_names(&self) -> Vec<String> {
        self.config.mcp_servers().keys().cloned().collect()
    }

    /// Opens the tools of these servers. Returns `None` if the user stopped the command.
    async fn open(
        &self,
        servers: &[String],
        stop: &CancellationToken,
    ) -> Result<Option<ToolBox>, UnknownServer> {
        tokio::select! {
            toolbox = self.servers.open(servers, Caller::manual(), &self.mask) => toolbox.map(Some),
            () = stop.cancelled() => Ok(None),
        }
    }
}
