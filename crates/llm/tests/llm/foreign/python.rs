//! Runs the Python peers in the environment that `make test-tools` installs.

use std::path::Path;
use std::process::Command;

use crate::program::python_tool;

/// Returns the command for a script in the directory `python`.
pub(crate) fn script(name: &str) -> Command {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/llm/foreign/python");
    let mut command = Command::new(python_tool("python"));
    command.arg(folder.join(name)).env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
