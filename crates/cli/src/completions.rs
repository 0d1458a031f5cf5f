//! `tarsy completions`: shell completion scripts.

use std::io::Write;

use anyhow::Context;
use clap::CommandFactory;

use crate::arguments::{CliArguments, CompletionsArguments};

/// Prints the completion script of a shell.
pub(crate) fn completions(arguments: &CompletionsArguments) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut CliArguments::command(), "tarsy", &mut script);
    std::io::stdout().write_all(&script).context("writing the script")
}
