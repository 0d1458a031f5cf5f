//! The command line: commands, flags, and the environment variables that set flags.

mod command;
mod demo;
mod investigate;
mod llm;
mod parse;
mod prompts;
mod replay;
mod sessions;
mod token;
mod tools;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, ValueEnum};

use crate::version::VERSION;
pub(crate) use command::CliCommand;
pub(crate) use demo::{DemoArguments, DemoClusterArguments, PaceArgument};
pub(crate) use investigate::InvestigateArguments;
pub(crate) use llm::{LlmArguments, LlmServeArguments};
use parse::{DEFAULT_LISTEN, Directory, address, directory};
pub(crate) use prompts::{PromptsCommand, ShowPromptArguments};
pub(crate) use replay::{ReplayArguments, ReplayToolsArguments};
pub(crate) use sessions::{
    ExportSessionArguments, ListSessionsArguments, SessionName, SessionsArguments, SessionsCommand,
    ShowSessionArguments,
};
pub(crate) use token::{CreateTokenArguments, TokenCommand};
pub(crate) use tools::{CallToolArguments, ListToolsArguments, ToolsArguments, ToolsCommand};

/// An AI site-reliability engineer that you run yourself.
#[derive(Debug, Parser)]
#[command(
    name = "tarsy",
    version = VERSION,
    max_term_width = 100,
    after_help = "Examples:\n  tarsy demo                         watch an investigation; needs no API key and no cluster\n  \
                  tarsy investigate alert.txt        investigate one alert in the terminal\n  \
                  tarsy serve                        start the server on http://127.0.0.1:8080\n  \
                  tarsy sessions watch latest        follow the newest session of a server\n  \
                  tarsy check config                 check a configuration directory\n  \
                  tarsy llm 'Say hello.'             test an API key and a model\n  \
                  tarsy tools                        test the MCP servers\n  \
                  tarsy token list                   list API tokens\n  \
                  tarsy schema > tarsy.schema.json   write the schema for editors\n  \
                  tarsy react reply.txt              show how a ReAct reply is parsed\n  \
                  tarsy replay session.json          replay an exported session offline"
)]
pub(crate) struct CliArguments {
    #[command(flatten)]
    pub(crate) global: GlobalArguments,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

/// Options of all commands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArguments {
    /// Directory with tarsy.yaml and, optionally, llm-providers.yaml [default: built-in configuration].
    #[arg(long, global = true, alias = "config", value_name = "DIR", env = "TARSY_CONFIG_DIR", value_parser = directory)]
    config_dir: Option<Directory>,

    /// Directory for the database file [default: the user's data directory].
    #[arg(long, global = true, value_name = "DIR", env = "TARSY_DATA_DIR", value_parser = directory)]
    data_dir: Option<Directory>,

    /// Format of the log on stderr. Set RUST_LOG to filter it.
    #[arg(long, global = true, value_name = "FORMAT", env = "TARSY_LOG", default_value = "text")]
    pub(crate) log: LogFormat,

    /// Database: sqlite:PATH or postgres://USER@HOST/DATABASE [default: tarsy.db in the data directory].
    #[arg(long, global = true, value_name = "URL", env = "TARSY_DATABASE_URL", hide_env_values = true)]
    database_url: Option<String>,
}

impl GlobalArguments {
    /// Returns the configuration directory.
    pub(crate) fn config_dir(&self) -> Option<&Path> {
        self.config_dir.as_ref().and_then(Option::as_deref)
    }

    /// Returns the data directory if it was given.
    pub(crate) fn data_dir(&self) -> Option<&Path> {
        self.data_dir.as_ref().and_then(Option::as_deref)
    }

    /// Returns the database URL if it was given.
    pub(crate) fn database_url(&self) -> Option<&str> {
        self.database_url.as_deref().filter(|url| !url.is_empty())
    }
}

/// The format of the log.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LogFormat {
    /// Readable text.
    Text,
    /// One JSON object per line.
    Json,
}

/// Arguments of `tarsy serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Address and port to listen on; port 0 selects a free port.
    #[arg(long, value_name = "ADDR:PORT", env = "TARSY_LISTEN", default_value = DEFAULT_LISTEN, value_parser = address)]
    pub(crate) listen: SocketAddr,

    /// Also serve the configured models over gRPC on this address, as `tarsy llm-serve` does.
    #[arg(long, value_name = "ADDR:PORT", value_parser = address)]
    pub(crate) llm_listen: Option<SocketAddr>,
}

/// Arguments of `tarsy check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Directory to check [default: --config-dir].
    pub(crate) directory: Option<PathBuf>,
}

/// Arguments of `tarsy schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Document to print.
    #[arg(value_enum, default_value = "config")]
    pub(crate) of: SchemaKind,
}

/// The documents of `tarsy schema`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SchemaKind {
    /// JSON Schema of tarsy.yaml, for editors.
    Config,
    /// OpenAPI document of the HTTP API.
    Openapi,
    /// Reference of tarsy.yaml in Markdown.
    Reference,
}

/// Arguments of `tarsy react`.
#[derive(Debug, Args)]
pub(crate) struct ReactArguments {
    /// File with the reply; `-` reads stdin.
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,

    /// Known tools that the action must match [default: any name is accepted].
    #[arg(long, value_name = "SERVER.TOOL,…", value_delimiter = ',')]
    pub(crate) tools: Option<Vec<String>>,
}

/// Arguments of `tarsy ready`.
#[derive(Debug, Args)]
pub(crate) struct ReadyArguments {
    /// Address and port that the server listens on.
    #[arg(long, value_name = "ADDR:PORT", env = "TARSY_LISTEN", default_value = DEFAULT_LISTEN, value_parser = address)]
    pub(crate) listen: SocketAddr,
}

/// Arguments of `tarsy completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// Shell to generate the script for.
    pub(crate) shell: clap_complete::Shell,
}

/// Arguments of `tarsy man`.
#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Write one page per command to this directory.
    #[arg(long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}
