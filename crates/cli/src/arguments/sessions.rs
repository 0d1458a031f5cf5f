//! The flags of `tarsy sessions`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use tarsy_domain::{SessionId, SessionStatus};
use url::Url;

/// Where `tarsy serve` and `tarsy demo` listen if nobody says otherwise.
const DEFAULT_SERVER: &str = "http://127.0.0.1:8080";
/// The word for the newest session.
const LATEST: &str = "latest";

/// What `tarsy sessions --help` says after the flags.
pub(super) const HELP: &str = "Examples:
  tarsy sessions list
  tarsy sessions list --status failed --search 'checkout memory'
  tarsy sessions show latest
  tarsy sessions watch latest
  tarsy sessions export latest --output run.json

TARSY_TOKEN is the token that the server is shown, if it asks for one.";

/// Arguments of `tarsy sessions`.
#[derive(Debug, Args)]
pub(crate) struct SessionsArguments {
    /// The server to ask.
    #[arg(long, global = true, value_name = "URL", env = "TARSY_SERVER", default_value = DEFAULT_SERVER, value_parser = server_address)]
    pub(crate) server: String,

    #[command(subcommand)]
    pub(crate) command: SessionsCommand,
}

/// What to do with sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List sessions, the newest first.
    #[command(after_help = "Examples:\n  tarsy sessions list --limit 5\n  \
                      tarsy sessions list --status in_progress --status pending\n  \
                      tarsy sessions list --json | jq -r '.sessions[].session_id'")]
    List(ListSessionsArguments),

    /// Show a session: its stages and agents, and its report.
    #[command(after_help = "Examples:\n  tarsy sessions show latest\n  \
                      tarsy sessions show latest --json | jq .status")]
    Show(ShowSessionArguments),

    /// Watch a session until it ends, from its beginning.
    #[command(after_help = "Example:\n  tarsy sessions watch latest\n\n\
                      Ctrl-C ends the watching, not the session.\nThe exit status is that of `tarsy investigate`.")]
    Watch(ShowSessionArguments),

    /// Ask a session to stop.
    #[command(after_help = "Example:\n  tarsy sessions cancel latest")]
    Cancel(SessionArguments),

    /// Write a session to a cassette, which `tarsy replay` runs again.
    #[command(after_help = "Examples:\n  tarsy sessions export latest > run.json\n  \
                      tarsy sessions export latest --output run.json && tarsy replay run.json")]
    Export(ExportSessionArguments),
}

/// Arguments of `tarsy sessions list`.
#[derive(Debug, Args)]
pub(crate) struct ListSessionsArguments {
    /// Only those in this state, such as failed; may be given several times.
    #[arg(long, value_name = "STATUS", value_parser = status)]
    pub(crate) status: Vec<SessionStatus>,

    /// Only those of this alert type; may be given several times.
    #[arg(long, value_name = "TYPE")]
    pub(crate) alert_type: Vec<String>,

    /// Only those with these words in the alert, the analysis or the timeline.
    #[arg(long, value_name = "WORDS")]
    pub(crate) search: Option<String>,

    /// How many at most, from 1 to 200.
    #[arg(long, value_name = "NUMBER", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub(crate) limit: u32,

    /// Print the answer of the server, which is JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which session.
#[derive(Debug, Args)]
pub(crate) struct SessionArguments {
    /// The id of the session, or `latest`.
    #[arg(value_name = "ID")]
    pub(crate) session: SessionName,
}

/// Which session, and how to show it.
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

    /// The file to write [default: stdout].
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// What a session is called by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionName {
    /// The newest one.
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
        known.map_err(|_| {
            format!("expected the id of a session, as `tarsy sessions list` shows it, or `{LATEST}`")
        })
    }
}

/// The address of a server; nothing at all is the default.
pub(super) fn server_address(text: &str) -> Result<String, String> {
    let text = if text.is_empty() { DEFAULT_SERVER } else { text };
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    match Url::parse(text) {
        Ok(url) if is_web(&url) => Ok(text.to_owned()),
        Ok(_) | Err(_) => Err(format!("expected the address of a server, such as {DEFAULT_SERVER}")),
    }
}

fn status(text: &str) -> Result<SessionStatus, String> {
    text.parse().map_err(|unknown| format!("{unknown}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_called_by_its_id_or_the_word_for_the_newest() {
        let id = "01a1e091-4f01-7082-aa51-081012474901";
        assert_eq!("latest".parse(), Ok(SessionName::Latest));
        assert_eq!(id.parse(), Ok(SessionName::Known(id.parse().unwrap())));
        assert!("lastest".parse::<SessionName>().unwrap_err().contains("`latest`"));
    }

    #[test]
    fn a_server_has_an_address_of_the_web() {
        for good in ["http://127.0.0.1:8080", "https://tarsy.example/prefix/", ""] {
            assert!(server_address(good).is_ok(), "{good}");
        }
        for bad in ["127.0.0.1:8080", "localhost:8080", "ftp://tarsy.example", "http://"] {
            assert!(server_address(bad).is_err(), "{bad}");
        }
    }
}
