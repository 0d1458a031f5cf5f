//! The arguments of `tarsy investigate`.

use std::path::PathBuf;

use clap::Args;
use tarsy_demo::Incident;

use super::demo::{PaceArgument, incident};
use super::sessions::server_address;

/// The text after the flags in `tarsy investigate --help`.
pub(super) const HELP: &str = "Examples:
  tarsy investigate --incident checkout-oom                    investigate a demo incident
  tarsy investigate --config-dir config alert.txt              use your models and tools
  kubectl describe pod shop-7 | tarsy investigate --alert-type PodFailure
  tarsy investigate --output report.md --record run.json alert.json
  tarsy investigate --json alert.txt | jq -r 'select(.type == \"result\").data.final_analysis'
  tarsy investigate --server http://127.0.0.1:8080 alert.txt   submit the alert to a server

FILE contains the alert, as text or JSON. A JSON object with a field `data` is the body of POST /api/v1/alerts and may \
contain `alert_type`, `runbook` and the other fields.

Progress is printed to stderr and the report to stdout. With --json, events are printed to stdout, one per line, and the session \
last. Ctrl-C or SIGTERM cancels the investigation, and the report and the files contain what was found so far; a session on a server \
continues. A second signal, at least one second later, does not wait for the cancellation.

Without --server, sessions are stored in investigations.db in --data-dir, or in a temporary directory that is deleted at the end.

Exit status: 0 if the session completed, 1 if it failed or timed out, 2 for invalid arguments, 3 if it completed with errors, 130 \
if it was cancelled.";

/// Arguments of `tarsy investigate`.
#[derive(Debug, Args)]
pub(crate) struct InvestigateArguments {
    /// File with the alert [default: stdin, also `-`].
    pub(crate) file: Option<PathBuf>,

    /// Alert type, which selects the chain [default: the type in the alert, or else the configured one].
    #[arg(long, value_name = "TYPE")]
    pub(crate) alert_type: Option<String>,

    /// Investigate an incident of `tarsy demo`.
    #[arg(long, value_name = "NAME", value_parser = incident, conflicts_with_all = ["file", "alert_type", "server"])]
    pub(crate) incident: Option<&'static Incident>,

    /// Speed of the recorded replies of an incident; `fast` has no pauses.
    #[arg(long, value_enum, value_name = "real|fast", default_value = "real", hide_possible_values = true)]
    pub(crate) pace: PaceArgument,

    /// Submit the alert to a server; set TARSY_TOKEN if it requires a token.
    #[arg(long, value_name = "URL", value_parser = server_address)]
    pub(crate) server: Option<String>,

    /// Print events as JSON, one per line.
    #[arg(long)]
    pub(crate) json: bool,

    /// Also write the report to a file, in Markdown.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Export the session to a file for `tarsy replay`.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}
