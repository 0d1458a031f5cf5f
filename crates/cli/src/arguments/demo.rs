//! The flags of `tarsy demo`.

use std::net::SocketAddr;

use clap::{Args, ValueEnum};
use tarsy_demo::{Incident, UnknownIncident};

use super::{DEFAULT_LISTEN, address};

/// What `tarsy demo --help` says after the flags.
pub(super) const HELP: &str = "Examples:
  tarsy demo                                    an investigation, live on http://127.0.0.1:8080
  tarsy demo --incident slow-database           another one
  tarsy demo --pace fast --listen 127.0.0.1:0   at once, on any free port
  GOOGLE_API_KEY=… tarsy demo                   the same cluster, looked at by a real model

Incidents:
  checkout-oom          pods of the checkout are killed again and again
  expired-certificate   no payment goes through
  slow-database         orders take many seconds

The model is a recording, unless GOOGLE_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY or \
TARSY_OPENAI_COMPATIBLE_URL is set; with the last one, TARSY_OPENAI_COMPATIBLE_MODEL names the model and \
TARSY_OPENAI_COMPATIBLE_API_KEY is its key, if it wants one. The tools are real MCP tools on recorded data.

The demo has its own configuration and its own database, whatever --config-dir and --database-url say: demo-config and \
demo.db in --data-dir, or else in a temporary directory that goes away with it.";

/// Flags of `tarsy demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Address and port to listen on; port 0 takes any that is free.
    #[arg(long, value_name = "ADDR:PORT", env = "TARSY_LISTEN", default_value = DEFAULT_LISTEN, value_parser = address)]
    pub(crate) listen: SocketAddr,

    /// What has happened to the shop.
    #[arg(long, value_name = "NAME", default_value = Incident::all()[0].name, value_parser = incident)]
    pub(crate) incident: &'static Incident,

    /// How fast the recording speaks. A real model speaks as fast as it does.
    #[arg(long, value_enum, value_name = "real|fast", default_value = "real", hide_possible_values = true)]
    pub(crate) pace: DemoPace,
}

/// How fast the recording speaks.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DemoPace {
    /// As a model would.
    Real,
    /// At once.
    Fast,
}

/// Flags of `tarsy demo-cluster`.
#[derive(Debug, Args)]
pub(crate) struct DemoClusterArguments {
    /// What has happened to the shop.
    #[arg(long, value_name = "NAME", value_parser = incident)]
    pub(crate) incident: &'static Incident,
}

/// The incident of this name.
pub(super) fn incident(name: &str) -> Result<&'static Incident, UnknownIncident> {
    Incident::named(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_every_incident() {
        for incident in Incident::all() {
            let line = HELP.lines().find(|line| line.trim_start().starts_with(incident.name));
            let title = incident.title.to_lowercase();
            assert!(line.is_some_and(|line| line.to_lowercase().ends_with(&title)), "{}", incident.name);
        }
    }
}
