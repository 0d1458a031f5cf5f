//! The arguments of `tarsy replay`.

use std::path::PathBuf;

use clap::Args;

/// The text after the flags in `tarsy replay --help`.
pub(super) const HELP: &str = "Examples:
  tarsy replay session.json
  tarsy replay --exact session.json     compare every message, too

FILE is an exported session. Create it with `tarsy sessions export ID --output FILE`, with `tarsy investigate --record FILE`, or \
in the dashboard.

Models and tools return what was recorded. A replay needs no configuration, no API key and no MCP server, and ignores the local \
configuration; its database is temporary. Chat questions are not replayed. Sessions that were cancelled or timed out cannot \
be replayed.

Exit status: 0 if the outcome is equal, 1 if it differs, 2 if the file cannot be replayed.";

/// Arguments of `tarsy replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// Exported session.
    pub(crate) file: PathBuf,

    /// Fail if any message differs, even if the outcome is equal.
    #[arg(long)]
    pub(crate) exact: bool,
}

/// Arguments of `tarsy replay-tools`.
#[derive(Debug, Args)]
pub(crate) struct ReplayToolsArguments {
    /// Recorded server.
    #[arg(long, value_name = "NAME")]
    pub(crate) server: String,

    /// Calling agent: STAGE/AGENT.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: String,

    /// Exported session.
    pub(crate) file: PathBuf,
}
