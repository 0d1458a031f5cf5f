//! `tarsy completions`: what a shell needs to complete commands and flags.

use std::io::Write;

use anyhow::Context;
use clap::CommandFactory;

use crate::arguments::{Arguments, CompletionsArguments};

/// Prints the script for a shell.
pub(crate) fn completions(arguments: &CompletionsArguments) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "tarsy", &mut script);
    std::io::stdout().write_all(&script).context("writing the script")
}
