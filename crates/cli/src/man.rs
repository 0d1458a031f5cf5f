//! `tarsy man`: manual pages, generated from the help texts.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use clap::CommandFactory;
use clap_mangen::Man;

use crate::arguments::{CliArguments, ManArguments};

/// Prints the main page, or writes the pages of all commands.
pub(crate) fn man(arguments: &ManArguments) -> anyhow::Result<()> {
    let command = CliArguments::command();
    match &arguments.directory {
        Some(directory) => write_pages(command, directory),
        None => {
            let mut page = Vec::new();
            Man::new(command).render(&mut page).context("rendering the page")?;
            std::io::stdout().write_all(&page).context("writing the page")
        }
    }
}

fn write_pages(command: clap::Command, directory: &Path) -> anyhow::Result<()> {
    let write = || {
        fs::create_dir_all(directory)?;
        clap_mangen::generate_to(command, directory)
    };
    write().with_context(|| format!("writing manual pages to {}", directory.display()))
}
