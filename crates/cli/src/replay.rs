//! `tarsy replay`: runs an exported session again, offline, and says whether it came to the same.
//!
//! What is recorded, and in what two outcomes differ, is in the replay's own crate. The session is run by the engine as any
//! other, on a database that goes away.

mod report;
mod rerun;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use tarsy_replay::{Recording, compare, serve_tools};
use tokio::runtime::Runtime;

use crate::arguments::{ReplayArguments, ReplayToolsArguments};
use crate::exit_status::{INTERRUPTED, MISUSED};
use crate::serve::stop_on_signal;
use crate::terminal::{printable, say};
use report::{Report, Strictness};
use rerun::Rerun;

/// How to come by a file that can be run again.
const HOW_TO: &str = "A session is exported with `tarsy sessions export ID --output FILE`, with `tarsy investigate --record FILE`, or \
                      in the dashboard.";

/// Runs a session again, and says what came of it.
pub(crate) fn replay(arguments: &ReplayArguments) -> anyhow::Result<ExitCode> {
    let recording = match Recording::load(&arguments.file) {
        Ok(recording) => recording,
        Err(error) => {
            say(&format!("{error}\n{HOW_TO}"))?;
            return Ok(ExitCode::from(MISUSED));
        }
    };
    let rerun = one_thread()?.block_on(async { Rerun::of(&recording, &stop_on_signal()?).await })?;
    let Some(rerun) = rerun else { return Ok(ExitCode::from(INTERRUPTED)) };
    let report = Report {
        recording: &recording,
        differences: compare(&recording.session.outcome, &rerun.outcome),
        rerun: &rerun,
        strictness: if arguments.exact { Strictness::EveryWord } else { Strictness::Outcome },
    };
    write!(std::io::stdout(), "{}", printable(&report.to_string())).context("writing the report")?;
    Ok(if report.is_same() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Is a recorded MCP server until its client leaves.
pub(crate) fn replay_tools(arguments: &ReplayToolsArguments) -> anyhow::Result<()> {
    let ReplayToolsArguments { server, agent, file } = arguments;
    Ok(one_thread()?.block_on(serve_tools(file, server, agent))?)
}

/// What a replay runs on, at both ends of a tool call. With one thread, calls of one turn are sent and answered in their
/// order, which matters where the same call was answered differently.
fn one_thread() -> anyhow::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting the runtime")
}
