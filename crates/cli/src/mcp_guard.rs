//! The guard of an MCP server's program: this binary again, started as `tarsy mcp-guard PROGRAM ARGUMENTS…`.
//!
//! It is no command for people and not in `--help`. What a guard does is in the tool box.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use tarsy_tools::{Guard, run_guard};

const COMMAND: &str = "mcp-guard";

/// Is the guard, if that is what this process was started for.
///
/// It comes before anything else: a guard has no log, no runtime and no configuration, and the arguments after its name
/// are the program's.
pub(crate) fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != COMMAND {
        return None;
    }
    Some(ExitCode::from(u8::try_from(run_guard(arguments)).unwrap_or(1)))
}

/// How this process starts a guard.
pub(crate) fn own_guard() -> anyhow::Result<Guard> {
    Ok(Guard { program: own_program()?, arguments: vec![COMMAND.to_owned()] })
}

/// The program that this process runs, for starting it once more.
pub(crate) fn own_program() -> anyhow::Result<PathBuf> {
    // On Linux the link leads to this very binary even after its file was replaced by a newer one.
    let link = PathBuf::from("/proc/self/exe");
    match link.exists() {
        true => Ok(link),
        false => std::env::current_exe().context("finding the path of this program"),
    }
}
