//! Starts a program under its guard, in its own process group and with a clean environment.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;

use thiserror::Error;
use tokio::process::{Child, Command};

use super::Guard;
use crate::Program;

/// Why a program cannot be started.
#[derive(Debug, Error)]
pub(crate) enum ProgramError {
    /// The program was not found.
    #[error("program `{command}` was not found in PATH ({path})")]
    NotInPath {
        /// The configured command.
        command: String,
        /// The searched directories.
        path: String,
    },
    /// The file does not exist or is not executable.
    #[error("program `{0}` does not exist or is not executable")]
    NotExecutable(String),
    /// The guard cannot be started.
    #[error("the guard {} could not be started: {cause}", guard.display())]
    Guard {
        /// Program of the guard.
        guard: PathBuf,
        /// Error of the operating system.
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
        if command.contains('/') {
            return ProgramError::NotExecutable(command.to_owned());
        }
        ProgramError::NotInPath { command: command.to_owned(), path: path.to_owned() }
    })
}
