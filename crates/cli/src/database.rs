//! Which database: the one that was named, or a file in the data directory.

use std::path::PathBuf;

use anyhow::Context;

use crate::arguments::Shared;

/// The database's URL: as given, or an SQLite file in the data directory.
pub(crate) fn database_url(shared: &Shared) -> anyhow::Result<String> {
    if let Some(url) = shared.database_url() {
        return Ok(url.to_owned());
    }
    Ok(format!("sqlite:{}", data_directory(shared)?.join("tarsy.db").display()))
}

fn data_directory(shared: &Shared) -> anyhow::Result<PathBuf> {
    if let Some(directory) = shared.data_dir() {
        return Ok(directory.to_owned());
    }
    let user = directories::ProjectDirs::from("", "", "tarsy")
        .context("this user has no home directory; say with --data-dir where to keep the database")?;
    Ok(user.data_dir().to_owned())
}
