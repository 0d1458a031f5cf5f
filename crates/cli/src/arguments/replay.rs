//! The flags of `tarsy replay`.

use std::path::PathBuf;

use clap::Args;

/// What `tarsy replay --help` says after the flags.
pub(super) const HELP: &str = "Examples:
  tarsy replay session.json
  tarsy replay --exact session.json     every word of every conversation must be the same

The file is an exported session: `tarsy sessions export ID --output session.json`, `tarsy investigate --record session.json \
…`, or the dashboard. Its models answer from the recording, and so do its tools, over real MCP. No configuration, no key and \
no server is needed, and nothing that is configured here is used. The database is a temporary one. Questions of the chat \
are not asked again, and a session that was cancelled or ran out of time cannot be run again.

Exit status: 0 if it came to the same, 1 if it did not, 2 if the file is none that can be run again.";

/// Flags of `tarsy replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// The exported session.
    pub(crate) file: PathBuf,

    /// Count it as a difference, too, if anything else was said on the way.
    #[arg(long)]
    pub(crate) exact: bool,
}

/// Flags of `tarsy replay-tools`.
#[derive(Debug, Args)]
pub(crate) struct ReplayToolsArguments {
    /// The recorded server.
    #[arg(long, value_name = "NAME")]
    pub(crate) server: String,

    /// Who calls: STAGE/AGENT.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: String,

    /// The exported session.
    pub(crate) file: PathBuf,
}
