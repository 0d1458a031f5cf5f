//! The peers' own code, run by the Python that `make test-tools` sets up.

use std::path::Path;
use std::process::Command;

use crate::program::python_tool;

/// A script of the folder `python`.
pub(crate) fn script(name: &str) -> Command {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/llm/foreign/python");
    let mut command = Command::new(python_tool("python"));
    command.arg(folder.join(name)).env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
