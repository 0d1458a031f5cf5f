//! The guard process of a stdio MCP server: this binary, started as `tarsy mcp-guard PROGRAM ARGUMENTS…`.
//!
//! It is an internal command and not in `--help`. The `tarsy-tools` crate implements the guard.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use tarsy_tools::{Guard, run_guard};

const COMMAND: &str = "mcp-guard";

/// Runs the guard if this process was started as one.
///
/// Must be called first: a guard has no log, no runtime and no configuration, and the arguments after its name are those
/// of the program.
pub(crate) fn run_if_guard() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != COMMAND {
        return None;
    }
    Some(ExitCode::from(u8::try_from(run_guard(arguments)).unwrap_or(1)))
}

/// Returns the command that starts a guard.
pub(crate) fn own_guard() -> anyhow::Result<Guard> {
    Ok(Guard { program: own_program()?, arguments: vec![COMMAND.to_owned()] })
}

/// Returns the path of this program, to start it again.
pub(crate) fn own_program() -> anyhow::Result<PathBuf> {
    // On Linux the link refers to this binary even if its file was replaced by a newer one.
    let link = PathBuf::from("/proc/self/exe");
    match link.exists() {
        true => Ok(link),
        false => std::env::current_exe().context("finding the path of this program"),
    }
}
