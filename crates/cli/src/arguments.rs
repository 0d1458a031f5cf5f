//! The command line: every command, every flag, and the environment variable that stands in for a flag.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// An AI site-reliability engineer that you run yourself.
#[derive(Debug, Parser)]
#[command(
    name = "tarsy",
    version,
    max_term_width = 100,
    after_help = "Examples:\n  tarsy serve                        start the server on http://127.0.0.1:8080\n  \
                  tarsy check config                 check a configuration directory\n  \
                  tarsy schema > tarsy.schema.json   let your editor complete and check tarsy.yaml"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) shared: Shared,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Debug, Args)]
pub(crate) struct Shared {
    /// Directory with tarsy.yaml and, if you like, llm-providers.yaml. Without it everything has its default.
    #[arg(long, global = true, value_name = "DIR", env = "TARSY_CONFIG_DIR")]
    pub(crate) config_dir: Option<PathBuf>,

    /// Directory for the database file [default: the user's data directory].
    #[arg(long, global = true, value_name = "DIR", env = "TARSY_DATA_DIR")]
    pub(crate) data_dir: Option<PathBuf>,

    /// How to write the log, which goes to stderr. RUST_LOG chooses what is in it.
    #[arg(long, global = true, value_name = "FORMAT", env = "TARSY_LOG", default_value = "text")]
    pub(crate) log: LogFormat,

    /// The database: sqlite:PATH or postgres://USER@HOST/DATABASE [default: tarsy.db in the data directory].
    #[arg(long, global = true, value_name = "URL", env = "TARSY_DATABASE_URL", hide_env_values = true)]
    pub(crate) database_url: Option<String>,
}

/// The form of the log.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line, for programs.
    Json,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the server with its dashboard.
    #[command(after_help = "Example:\n  tarsy serve --listen 127.0.0.1:9000 --config-dir config")]
    Serve(ServeArguments),

    /// Check a configuration and say what is in it.
    #[command(
        after_help = "Examples:\n  tarsy check config\n  tarsy check            the built-in configuration alone"
    )]
    Check(CheckArguments),

    /// Print the JSON Schema of tarsy.yaml.
    #[command(after_help = "Example:\n  tarsy schema > tarsy.schema.json")]
    Schema,
}

/// Flags of `tarsy serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Address and port to listen on; port 0 takes any that is free.
    #[arg(long, value_name = "ADDR:PORT", env = "TARSY_LISTEN", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
}

/// Arguments of `tarsy check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The directory to check [default: --config-dir].
    pub(crate) directory: Option<PathBuf>,
}
