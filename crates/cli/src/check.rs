//! `tarsy check`: is this configuration right, and what is in it?

use std::io::Write;

use anyhow::Context;
use tarsy_config::{Config, Diagnostic, Environment, Loaded};

use crate::arguments::{CheckArguments, Shared};

/// Checks a configuration; prints a summary, or every fault.
pub(crate) fn check(shared: &Shared, arguments: &CheckArguments) -> anyhow::Result<()> {
    let directory = arguments.directory.as_deref().or(shared.config_dir());
    let Loaded { config, warnings } = Config::load(directory, &Environment::from_process())?;
    print_warnings(&warnings)?;
    write!(std::io::stdout(), "{}", config.summary()).context("writing the summary")
}

/// Writes warnings to stderr, as they are: they have several lines each.
pub(crate) fn print_warnings(warnings: &[Diagnostic]) -> anyhow::Result<()> {
    for warning in warnings {
        writeln!(std::io::stderr(), "{warning}").context("writing a warning")?;
    }
    Ok(())
}
