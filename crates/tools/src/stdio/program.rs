//! How a program is started: under its guard, in a process group of its own, with nothing of ours in its environment.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;

use thiserror::Error;
use tokio::process::{Child, Command};

use super::Guard;
use crate::Program;

/// A program that cannot be started.
#[derive(Debug, Error)]
pub(crate) enum ProgramError {
    /// There is no such program.
    #[error("there is no program `{command}`; it was looked for in {searched}")]
    Missing {
        /// What was to be started.
        command: String,
        /// Where it was looked for.
        searched: String,
    },
    /// The guard did not start.
    #[error("the guard {} could not be started: {cause}", guard.display())]
    Guard {
        /// The guard's program.
        guard: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
}

/// Starts a program under its guard.
pub(crate) fn start(
    program: &Program,
    guard: &Guard,
    base_environment: &BTreeMap<String, String>,
) -> Result<Child, ProgramError> {
    let path = program
        .environment
        .get("PATH")
        .map(tarsy_domain::Secret::expose)
        .or_else(|| base_environment.get("PATH").map(String::as_str));
    let found = find(&program.command, path.unwrap_or_default())?;
    Command::new(&guard.program)
        .args(&guard.arguments)
        .arg(found)
        .args(program.arguments.iter().map(tarsy_domain::Secret::expose))
        .env_clear()
        .envs(base_environment)
        .envs(program.environment.iter().map(|(name, value)| (name, value.expose())))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|cause| ProgramError::Guard { guard: guard.program.clone(), cause })
}

fn find(command: &str, path: &str) -> Result<PathBuf, ProgramError> {
    which::which_in(command, Some(path), ".").map_err(|_| {
        let searched = if command.contains('/') { "that place" } else { path };
        ProgramError::Missing { command: command.to_owned(), searched: searched.to_owned() }
    })
}
