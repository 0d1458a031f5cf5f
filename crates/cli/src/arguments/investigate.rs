//! The flags of `tarsy investigate`.

use std::path::PathBuf;

use clap::Args;
use tarsy_demo::Incident;

use super::demo::{DemoPace, incident};
use super::sessions::server_address;

/// What `tarsy investigate --help` says after the flags.
pub(super) const HELP: &str = "Examples:
  tarsy investigate --incident checkout-oom                    without any key or cluster
  tarsy investigate --config-dir config alert.txt              with your model and your tools
  kubectl describe pod shop-7 | tarsy investigate --alert-type PodFailure
  tarsy investigate --output report.md --record run.json alert.json
  tarsy investigate --json alert.txt | jq -r 'select(.type == \"result\").data.final_analysis'
  tarsy investigate --server http://127.0.0.1:8080 alert.txt   at a running server

FILE is what the alert says, as a text or as JSON. A JSON object with `data` in it is a whole alert, as \
POST /api/v1/alerts takes it: with `alert_type`, `runbook` and so on.

What happens is told on stderr while it happens, and the report goes to stdout at the end; with --json all events go to \
stdout, one a line, and the session as the last. Ctrl-C cancels the investigation; one of a server goes on without you.

Without --server the record is kept in investigations.db in --data-dir, or else in a temporary directory that goes away.

Exit status: 0 if it was completed, 1 if it failed or ran out of time, 2 if it was called wrongly, 3 if it was completed with \
errors on the way, 130 if it was cancelled.";

/// Arguments of `tarsy investigate`.
#[derive(Debug, Args)]
pub(crate) struct InvestigateArguments {
    /// The file with the alert; `-` is standard input, which is also read without it.
    pub(crate) file: Option<PathBuf>,

    /// Selects the chain [default: what the alert or the configuration says].
    #[arg(long, value_name = "TYPE")]
    pub(crate) alert_type: Option<String>,

    /// Investigate an incident of the demo's shop, as `tarsy demo` does.
    #[arg(long, value_name = "NAME", value_parser = incident, conflicts_with_all = ["file", "alert_type", "server"])]
    pub(crate) incident: Option<&'static Incident>,

    /// How fast the recording of an incident speaks.
    #[arg(long, value_enum, value_name = "real|fast", default_value = "real", hide_possible_values = true)]
    pub(crate) pace: DemoPace,

    /// Have a running server investigate; TARSY_TOKEN is the token it is shown.
    #[arg(long, value_name = "URL", value_parser = server_address)]
    pub(crate) server: Option<String>,

    /// Print events as JSON, one a line, as they happen.
    #[arg(long)]
    pub(crate) json: bool,

    /// Write the report to a file, too, as Markdown.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Write what happened to a cassette, which `tarsy replay` runs again.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}
