//! `tarsy check`: is this configuration right, and what is in it?

use std::io::Write;

use anyhow::Context;
use tarsy_agent::Prompts;
use tarsy_config::{Config, Diagnostic, Environment, Loaded};

use crate::arguments::{CheckArguments, Shared};
use crate::prompts::load_prompts;

/// Checks a configuration; prints a summary, or every fault.
pub(crate) fn check(shared: &Shared, arguments: &CheckArguments) -> anyhow::Result<()> {
    let directory = arguments.directory.as_deref().or(shared.config_dir());
    let Loaded { config, warnings } = Config::load(directory, &Environment::from_process())?;
    print_warnings(&warnings)?;
    let prompts = load_prompts(&config)?;
    write!(std::io::stdout(), "{}\n{}", config.summary(), overview(&prompts)).context("writing the summary")
}

/// Which prompts are not the built-in ones.
fn overview(prompts: &Prompts) -> String {
    let replaced: Vec<&str> = prompts.overridden().collect();
    let names = if replaced.is_empty() { String::new() } else { format!(": {}", replaced.join(", ")) };
    format!("Prompts\n  {} of {} templates replaced{names}\n", replaced.len(), prompts.templates().count())
}

/// Writes warnings to stderr, as they are: they have several lines each.
pub(crate) fn print_warnings(warnings: &[Diagnostic]) -> anyhow::Result<()> {
    for warning in warnings {
        writeln!(std::io::stderr(), "{warning}").context("writing a warning")?;
    }
    Ok(())
}
