//! `tarsy check`: checks a configuration and prints a summary.

use std::io::Write;

use anyhow::Context;
use tarsy_agent::Prompts;
use tarsy_config::{Config, Diagnostic, Environment, Loaded};

use crate::arguments::{CheckArguments, GlobalArguments};
use crate::prompts::load_prompts;

/// Checks a configuration. Prints a summary, or returns all errors.
pub(crate) fn check(global: &GlobalArguments, arguments: &CheckArguments) -> anyhow::Result<()> {
    let directory = arguments.directory.as_deref().or(global.config_dir());
    let Loaded { config, warnings } = Config::load(directory, &Environment::from_process())?;
    print_warnings(&warnings)?;
    let prompts = load_prompts(&config)?;
    write!(std::io::stdout(), "{}\n{}", config.summary(), overview(&prompts)).context("writing the summary")
}

/// Lists the prompt templates that are replaced.
fn overview(prompts: &Prompts) -> String {
    let replaced: Vec<&str> = prompts.overridden().collect();
    let names = if replaced.is_empty() { String::new() } else { format!(": {}", replaced.join(", ")) };
    format!("Prompts\n  {} of {} templates replaced{names}\n", replaced.len(), prompts.templates().count())
}

/// Prints warnings, which have several lines each, to stderr.
pub(crate) fn print_warnings(warnings: &[Diagnostic]) -> anyhow::Result<()> {
    for warning in warnings {
        writeln!(std::io::stderr(), "{warning}").context("writing a warning")?;
    }
    Ok(())
}
