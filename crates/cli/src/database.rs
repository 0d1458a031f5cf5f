//! Selects the database.

use std::path::PathBuf;

use anyhow::Context;
use tarsy_config::Config;
use tarsy_store::StoreOptions;

use crate::arguments::GlobalArguments;

/// Returns the database URL: the given one, or an SQLite file in the data directory.
pub(crate) fn database_url(global: &GlobalArguments) -> anyhow::Result<String> {
    if let Some(url) = global.database_url() {
        return Ok(url.to_owned());
    }
    Ok(format!("sqlite:{}", data_directory(global)?.join("tarsy.db").display()))
}

/// Returns the options of the database from the configuration.
pub(crate) fn store_options(config: &Config) -> StoreOptions {
    StoreOptions { max_connections: config.system().database.max_connections }
}

fn data_directory(global: &GlobalArguments) -> anyhow::Result<PathBuf> {
    if let Some(directory) = global.data_dir() {
        return Ok(directory.to_owned());
    }
    let user = directories::ProjectDirs::from("", "", "tarsy")
        .context("this user has no home directory; set --data-dir to the directory for the database")?;
    Ok(user.data_dir().to_owned())
}
