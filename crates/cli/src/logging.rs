//! The log, and the last words of a command that failed. Both go to stderr.

use std::io::{IsTerminal, Write};

use tarsy_engine::{CALL_SPANS, WORK_SPANS};
use tracing::level_filters::LevelFilter;
use tracing::warn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::arguments::LogFormat;
use crate::traces::Traces;

/// The MCP library logs what servers say, which has not been masked there, at every level. What matters in it is told by
/// the tool box; who wants the rest has to name it in RUST_LOG.
const UNMASKED: &str = "rmcp";

/// Starts the log. RUST_LOG chooses what is in it; without it, all of this level and above.
///
/// Spans for traces have more to say than a line of the log can hold, so the log is without them; those that say which
/// session a line is about are always there.
pub(crate) fn start(format: LogFormat, usual: LevelFilter, traces: Option<&Traces>) {
    let chosen = EnvFilter::builder().with_default_directive(usual.into()).from_env();
    let (filter, misunderstood) = match chosen {
        Ok(filter) => (filter, None),
        Err(error) => (EnvFilter::new(usual.to_string()), Some(error)),
    };
    let log = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let log = match format {
        LogFormat::Text => log.with_ansi(std::io::stderr().is_terminal()).with_target(false).boxed(),
        LogFormat::Json => log.json().flatten_event(true).with_current_span(false).boxed(),
    };
    let log = log.with_filter(with_work_spans(without_unmasked(filter)));
    tracing_subscriber::registry().with(log).with(traces.map(Traces::layer)).init();
    if let Some(error) = misunderstood {
        warn!(%error, "RUST_LOG is not understood, logging at {usual}; write for example RUST_LOG=info,tarsy_store=debug");
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

/// Says why a command failed: what was attempted, then each cause. Whoever closes what they read is told nothing, as is
/// usual after `| head`.
pub(crate) fn report(failure: &anyhow::Error) {
    if failure.chain().count() == 2 && is_closed_pipe(failure) {
        return;
    }
    // Nobody is left to tell if stderr is gone.
    let _ = writeln!(std::io::stderr(), "{failure:#}");
}

fn is_closed_pipe(failure: &anyhow::Error) -> bool {
    let cause = failure.root_cause().downcast_ref::<std::io::Error>();
    cause.is_some_and(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}
