//! `tarsy replay`: runs an exported session again, offline, and compares the outcome with the recorded one.
//!
//! The recording and the comparison are in the `tarsy-replay` crate. The engine runs the session like any other, on a
//! temporary database.

mod report;
mod rerun;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use tarsy_replay::{Recording, compare, serve_tools};
use tokio::runtime::Runtime;

use crate::arguments::{ReplayArguments, ReplayToolsArguments};
use crate::exit_status::{INTERRUPTED, USAGE_ERROR};
use crate::signals::stop_on_signal;
use crate::terminal::{eprint_line, sanitize};
use report::{ReplayReport, Strictness};
use rerun::Rerun;

/// How to get a file that can be replayed.
const HOW_TO: &str = "Export a session with `tarsy sessions export ID --output FILE`, with `tarsy investigate --record FILE`, or \
                      in the dashboard.";

/// Replays a session and prints the comparison.
pub(crate) fn replay(arguments: &ReplayArguments) -> anyhow::Result<ExitCode> {
    let recording = match Recording::load(&arguments.file) {
        Ok(recording) => recording,
        Err(error) => {
            eprint_line(&format!("{error}\n{HOW_TO}"))?;
            return Ok(ExitCode::from(USAGE_ERROR));
        }
    };
    let rerun =
        single_threaded_runtime()?.block_on(async { Rerun::run(&recording, &stop_on_signal()?).await })?;
    let Some(rerun) = rerun else { return Ok(ExitCode::from(INTERRUPTED)) };
    let report = ReplayReport {
        recording: &recording,
        differences: compare(&recording.session.outcome, &rerun.outcome),
        rerun: &rerun,
        strictness: if arguments.exact { Strictness::Exact } else { Strictness::Outcome },
    };
    write!(std::io::stdout(), "{}", sanitize(&report.to_string())).context("writing the report")?;
    Ok(if report.is_equal() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Serves a recorded MCP server until its client disconnects.
pub(crate) fn replay_tools(arguments: &ReplayToolsArguments) -> anyhow::Result<()> {
    let ReplayToolsArguments { server, agent, file } = arguments;
    Ok(single_threaded_runtime()?.block_on(serve_tools(file, server, agent))?)
}

/// Creates the runtime of a replay and of its tool servers. On a single thread, the calls of one turn are sent and
/// processed in order, which matters if equal calls have different recorded results.
fn single_threaded_runtime() -> anyhow::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting the runtime")
}
