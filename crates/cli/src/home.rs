//! Where a command keeps the files of its own, which is never where the database of a server is.

use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::TempDir;

use crate::arguments::Shared;

/// Where a command keeps its files.
pub(crate) enum Home {
    /// Where somebody said.
    Given(PathBuf),
    /// A directory that goes away with the command.
    Passing(TempDir),
}

impl Home {
    /// The directory that somebody named, or a new one whose name begins like this.
    pub(crate) fn find(shared: &Shared, beginning: &str) -> anyhow::Result<Self> {
        if let Some(directory) = shared.data_dir() {
            return Ok(Self::Given(std::path::absolute(directory).context("finding the data directory")?));
        }
        let made = tempfile::Builder::new().prefix(beginning).tempdir();
        Ok(Self::Passing(made.context("making a temporary directory; --data-dir names another place")?))
    }

    /// The configuration of the demo, which is written here.
    pub(crate) fn demo_config(&self) -> PathBuf {
        self.path().join("demo-config")
    }

    /// A database in this file. Its name is not that of a server's, should both be in one directory.
    pub(crate) fn database_url(&self, file: &str) -> String {
        format!("sqlite:{}", self.path().join(file).display())
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Given(directory) => directory,
            Self::Passing(directory) => directory.path(),
        }
    }
}
