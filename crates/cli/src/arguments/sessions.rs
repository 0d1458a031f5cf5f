//! The arguments of `tarsy sessions`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use tarsy_domain::{SessionId, SessionStatus};
use url::Url;

/// The default address of `tarsy serve` and `tarsy demo`.
const DEFAULT_SERVER: &str = "http://127.0.0.1:8080";
/// The name of the newest session.
const LATEST: &str = "latest";

/// The text after the flags in `tarsy sessions --help`.
pub(super) const HELP: &str = "Examples:
  tarsy sessions list
  tarsy sessions list --status failed --search 'checkout memory'
  tarsy sessions show latest
  tarsy sessions watch latest
  tarsy sessions export latest --output run.json

Set TARSY_TOKEN if the server requires a token.";

/// Arguments of `tarsy sessions`.
#[derive(Debug, Args)]
pub(crate) struct SessionsArguments {
    /// URL of the server.
    #[arg(long, global = true, value_name = "URL", env = "TARSY_SERVER", default_value = DEFAULT_SERVER, value_parser = server_address)]
    pub(crate) server: String,

    #[command(subcommand)]
    pub(crate) command: SessionsCommand,
}

/// The subcommands of `tarsy sessions`.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List sessions, newest first.
    #[command(after_help = "Examples:\n  tarsy sessions list --limit 5\n  \
                      tarsy sessions list --status in_progress --status pending\n  \
                      tarsy sessions list --json | jq -r '.sessions[].session_id'")]
    List(ListSessionsArguments),

    /// Show a session with its stages, agents and report.
    #[command(after_help = "Examples:\n  tarsy sessions show latest\n  \
                      tarsy sessions show latest --json | jq .status")]
    Show(ShowSessionArguments),

    /// Follow a session from its start until it ends.
    #[command(after_help = "Example:\n  tarsy sessions watch latest\n\n\
                      Ctrl-C stops watching; the session continues.\nThe exit status is that of `tarsy investigate`.")]
    Watch(ShowSessionArguments),

    /// Cancel a session.
    #[command(after_help = "Example:\n  tarsy sessions cancel latest")]
    Cancel(SessionArguments),

    /// Export a session for `tarsy replay`.
    #[command(after_help = "Examples:\n  tarsy sessions export latest > run.json\n  \
                      tarsy sessions export latest --output run.json && tarsy replay run.json")]
    Export(ExportSessionArguments),
}

/// Arguments of `tarsy sessions list`.
#[derive(Debug, Args)]
pub(crate) struct ListSessionsArguments {
    /// Filter by status, such as failed; repeatable.
    #[arg(long, value_name = "STATUS", value_parser = status)]
    pub(crate) status: Vec<SessionStatus>,

    /// Filter by alert type; repeatable.
    #[arg(long, value_name = "TYPE")]
    pub(crate) alert_type: Vec<String>,

    /// Full-text search in alert, analysis and timeline.
    #[arg(long, value_name = "WORDS")]
    pub(crate) search: Option<String>,

    /// Maximum number of sessions, from 1 to 200.
    #[arg(long, value_name = "NUMBER", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub(crate) limit: u32,

    /// Print the response of the server as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The session of a subcommand.
#[derive(Debug, Args)]
pub(crate) struct SessionArguments {
    /// Session id, or `latest`.
    #[arg(value_name = "ID")]
    pub(crate) session: SessionName,
}

/// Arguments of `tarsy sessions show` and `watch`.
#[derive(Debug, Args)]
pub(crate) struct ShowSessionArguments {
    #[command(flatten)]
    pub(crate) which: SessionArguments,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `tarsy sessions export`.
#[derive(Debug, Args)]
pub(crate) struct ExportSessionArguments {
    #[command(flatten)]
    pub(crate) which: SessionArguments,

    /// Output file [default: stdout].
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The name of a session on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionName {
    /// The newest session.
    Latest,
    Known(SessionId),
}

impl FromStr for SessionName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == LATEST {
            return Ok(Self::Latest);
        }
        let known = text.parse().map(Self::Known);
        known.map_err(|_| format!("expected a session id, as in `tarsy sessions list`, or `{LATEST}`"))
    }
}

/// Parses the URL of a server. An empty value means the default.
pub(super) fn server_address(text: &str) -> Result<String, String> {
    let text = if text.is_empty() { DEFAULT_SERVER } else { text };
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    match Url::parse(text) {
        Ok(url) if is_web(&url) => Ok(text.to_owned()),
        Ok(_) | Err(_) => Err(format!("expected the URL of a server, such as {DEFAULT_SERVER}")),
    }
}

fn status(text: &str) -> Result<SessionStatus, String> {
    text.parse().map_err(|unknown| format!("{unknown}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_name_is_an_id_or_latest() {
        let id = "01a1e091-4f01-7082-aa51-081012474901";
        assert_eq!("latest".parse(), Ok(SessionName::Latest));
        assert_eq!(id.parse(), Ok(SessionName::Known(id.parse().unwrap())));
        assert!("lastest".parse::<SessionName>().unwrap_err().contains("`latest`"));
    }

    #[test]
    fn a_server_has_an_http_url() {
        for good in ["http://127.0.0.1:8080", "https://tarsy.example/prefix/", ""] {
            assert!(server_address(good).is_ok(), "{good}");
        }
        for bad in ["127.0.0.1:8080", "localhost:8080", "ftp://tarsy.example", "http://"] {
            assert!(server_address(bad).is_err(), "{bad}");
        }
    }
}
