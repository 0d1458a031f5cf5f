//! The log, and the error message of a failed command. Both are written to stderr.

use std::io::{IsTerminal, Write};

use tarsy_engine::{CALL_SPANS, WORK_SPANS};
use tracing::level_filters::LevelFilter;
use tracing::warn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::arguments::LogFormat;
use crate::traces::Traces;

/// The MCP library logs unmasked messages of servers at every level. It is off unless RUST_LOG names it; the toolbox logs
/// what matters.
const UNMASKED: &str = "rmcp";

/// Starts the log. RUST_LOG filters it; the default is this level.
///
/// Spans of calls have too many fields for log lines and are left out; spans that identify the session are always
/// included.
pub(crate) fn start(format: LogFormat, default_level: LevelFilter, traces: Option<&Traces>) {
    let parsed = EnvFilter::builder().with_default_directive(default_level.into()).from_env();
    let (filter, invalid) = match parsed {
        Ok(filter) => (filter, None),
        Err(error) => (EnvFilter::new(default_level.to_string()), Some(error)),
    };
    let log = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let log = match format {
        LogFormat::Text => log.with_ansi(std::io::stderr().is_terminal()).with_target(false).boxed(),
        LogFormat::Json => log.json().flatten_event(true).with_current_span(false).boxed(),
    };
    let log = log.with_filter(with_work_spans(without_unmasked(filter)));
    tracing_subscriber::registry().with(log).with(traces.map(Traces::layer)).init();
    if let Some(error) = invalid {
        warn!(%error, "RUST_LOG is invalid, logging at {default_level}; use for example RUST_LOG=info,tarsy_store=debug");
    }
}

fn without_unmasked(filter: EnvFilter) -> EnvFilter {
    match format!("{UNMASKED}=off").parse() {
        Ok(off) if !filter.to_string().contains(UNMASKED) => filter.add_directive(off),
        Ok(_) | Err(_) => filter,
    }
}

fn with_work_spans(filter: EnvFilter) -> EnvFilter {
    let spans = [format!("{WORK_SPANS}=info"), format!("{CALL_SPANS}=off")];
    spans.iter().filter_map(|directive| directive.parse().ok()).fold(filter, EnvFilter::add_directive)
}

/// Prints why a command failed, with all causes. A closed pipe, as after `| head`, is not an error.
pub(crate) fn print_error(error: &anyhow::Error) {
    if error.chain().count() == 2 && is_closed_pipe(error) {
        return;
    }
    // There is no way to report a failure to write to stderr.
    let _ = writeln!(std::io::stderr(), "{error:#}");
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let cause = error.root_cause().downcast_ref::<std::io::Error>();
    cause.is_some_and(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}
