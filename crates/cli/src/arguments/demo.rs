//! The arguments of `tarsy demo`.

use std::net::SocketAddr;

use clap::{Args, ValueEnum};
use tarsy_demo::{Incident, UnknownIncident};

use super::parse::{DEFAULT_LISTEN, address};

/// The text after the flags in `tarsy demo --help`.
pub(super) const HELP: &str = "Examples:
  tarsy demo                                    watch an investigation on http://127.0.0.1:8080
  tarsy demo --incident slow-database           investigate another incident
  tarsy demo --pace fast --listen 127.0.0.1:0   without pauses, on a free port
  GOOGLE_API_KEY=… tarsy demo                   use a real model

Incidents:
  checkout-oom          checkout pods are killed repeatedly
  expired-certificate   all payments fail
  slow-database         orders are slow

Replies are recorded unless GOOGLE_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY or TARSY_OPENAI_COMPATIBLE_URL is set. With \
TARSY_OPENAI_COMPATIBLE_URL, set the model with TARSY_OPENAI_COMPATIBLE_MODEL and its key, if needed, with \
TARSY_OPENAI_COMPATIBLE_API_KEY. The tools are real MCP tools on recorded data.

The demo ignores --config-dir and --database-url. Its files are demo-config and demo.db in --data-dir, or in a temporary directory \
that is deleted when the demo stops.";

/// Arguments of `tarsy demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Address and port to listen on; port 0 selects a free port.
    #[arg(long, value_name = "ADDR:PORT", env = "TARSY_LISTEN", default_value = DEFAULT_LISTEN, value_parser = address)]
    pub(crate) listen: SocketAddr,

    /// Incident to investigate.
    #[arg(long, value_name = "NAME", default_value = Incident::all()[0].name, value_parser = incident)]
    pub(crate) incident: &'static Incident,

    /// Speed of the recorded replies; `fast` has no pauses. Ignored with a real model.
    #[arg(long, value_enum, value_name = "real|fast", default_value = "real", hide_possible_values = true)]
    pub(crate) pace: PaceArgument,
}

/// The speed of recorded replies.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PaceArgument {
    /// As fast as a model.
    Real,
    /// Without pauses.
    Fast,
}

/// Arguments of `tarsy demo-cluster`.
#[derive(Debug, Args)]
pub(crate) struct DemoClusterArguments {
    /// Incident to serve.
    #[arg(long, value_name = "NAME", value_parser = incident)]
    pub(crate) incident: &'static Incident,
}

/// Parses the name of an incident.
pub(super) fn incident(name: &str) -> Result<&'static Incident, UnknownIncident> {
    Incident::named(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_lists_every_incident() {
        for incident in Incident::all() {
            let line = HELP.lines().find(|line| line.trim_start().starts_with(incident.name));
            let title = incident.title.to_lowercase();
            assert!(line.is_some_and(|line| line.to_lowercase().ends_with(&title)), "{}", incident.name);
        }
    }
}
