//! The real binary, run with nothing of this machine's environment.

use std::process::{Command, Output};

/// A command that is ready to run.
pub(crate) fn tarsy(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tarsy"));
    // Whatever is set on the machine that runs the tests must not decide them.
    command.env_clear().env("PATH", "/usr/bin:/bin").args(arguments);
    command
}

/// Runs it to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    tarsy(arguments).output().unwrap()
}

/// What was written, as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
