//! Runs the binary with a clean environment.

use std::process::{Command, Output};

/// Returns a command for the binary.
pub(crate) fn tarsy(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tarsy"));
    // Variables of the host must not affect the tests.
    command.env_clear().env("PATH", "/usr/bin:/bin").args(arguments);
    command
}

/// Runs the binary and waits until it exits.
pub(crate) fn run(arguments: &[&str]) -> Output {
    tarsy(arguments).output().unwrap()
}

/// Decodes output.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
