//! The log, and the last words of a command that failed. Both go to stderr.

use std::io::{IsTerminal, Write};

use tracing_subscriber::EnvFilter;

use crate::arguments::LogFormat;

/// What is logged unless `RUST_LOG` says otherwise.
const DEFAULT_FILTER: &str = "info";

/// Starts the log.
pub(crate) fn start(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => log.with_ansi(std::io::stderr().is_terminal()).with_target(false).init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
}

/// Says why a command failed: what was attempted, then each cause.
pub(crate) fn report(failure: &anyhow::Error) {
    // Nobody is left to tell if stderr is gone.
    let _ = writeln!(std::io::stderr(), "{failure:#}");
}
