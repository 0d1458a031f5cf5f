//! The log, and the last words of a command that failed. Both go to stderr.

use std::io::{IsTerminal, Write};

use tracing::level_filters::LevelFilter;
use tracing::warn;
use tracing_subscriber::EnvFilter;

use crate::arguments::LogFormat;

/// Starts the log.
pub(crate) fn start(format: LogFormat) {
    let chosen = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).from_env();
    let (filter, misunderstood) = match chosen {
        Ok(filter) => (filter, None),
        Err(error) => (EnvFilter::new("info"), Some(error)),
    };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => log.with_ansi(std::io::stderr().is_terminal()).with_target(false).init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
    if let Some(error) = misunderstood {
        warn!(%error, "RUST_LOG is not understood, logging at info; write for example RUST_LOG=info,tarsy_store=debug");
    }
}

/// Says why a command failed: what was attempted, then each cause.
pub(crate) fn report(failure: &anyhow::Error) {
    // Nobody is left to tell if stderr is gone.
    let _ = writeln!(std::io::stderr(), "{failure:#}");
}
