//! `tarsy prompts`: lists and prints prompt templates. Also loads the prompts for other commands.

use std::io::Write;

use anyhow::Context;
use tarsy_agent::{Prompts, Template};
use tarsy_config::{Config, Environment, Loaded, TemplateFile};

use crate::arguments::{GlobalArguments, PromptsCommand, ShowPromptArguments};
use crate::check::print_warnings;

/// Loads the prompts of a configuration, or returns all errors in its templates.
pub(crate) fn load_prompts(config: &Config) -> anyhow::Result<Prompts> {
    let template = |file: &TemplateFile| Template {
        name: file.name.clone(),
        path: file.path.clone(),
        source: file.source.clone(),
    };
    let overrides: Vec<Template> = config.templates().iter().map(template).collect();
    Ok(Prompts::with_overrides(&overrides)?)
}

/// Lists the prompts or prints one.
pub(crate) fn prompts(global: &GlobalArguments, command: &PromptsCommand) -> anyhow::Result<()> {
    let text = match command {
        PromptsCommand::List => list(&configured(global)?),
        PromptsCommand::Show(ShowPromptArguments { name, built_in: true }) => {
            Prompts::builtin().template(name)?.source.clone()
        }
        PromptsCommand::Show(ShowPromptArguments { name, built_in: false }) => {
            configured(global)?.template(name)?.source.clone()
        }
    };
    write!(std::io::stdout(), "{text}").context("writing the prompts")
}

fn configured(global: &GlobalArguments) -> anyhow::Result<Prompts> {
    let Loaded { config, warnings } = Config::load(global.config_dir(), &Environment::from_process())?;
    print_warnings(&warnings)?;
    load_prompts(&config)
}

/// Lists one template per line, with the file that replaces it.
fn list(prompts: &Prompts) -> String {
    let replaced: Vec<&str> = prompts.overridden().collect();
    let line = |template: &Template| match replaced.contains(&template.name.as_str()) {
        true => format!("{}  replaced by {}\n", template.name, template.path),
        false => format!("{}\n", template.name),
    };
    prompts.templates().map(line).collect()
}
