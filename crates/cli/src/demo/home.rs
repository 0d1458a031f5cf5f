//! Where the demo keeps its files, which is never where a real database is.

use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::TempDir;

use crate::arguments::Shared;

/// Where the demo keeps its files.
pub(super) enum Home {
    /// Where somebody said.
    Given(PathBuf),
    /// A directory that goes away with the demo.
    Passing(TempDir),
}

impl Home {
    /// The directory that somebody named, or a new one.
    pub(super) fn find(shared: &Shared) -> anyhow::Result<Self> {
        if let Some(directory) = shared.data_dir() {
            return Ok(Self::Given(std::path::absolute(directory).context("finding the data directory")?));
        }
        let made = tempfile::Builder::new().prefix("tarsy-demo-").tempdir();
        Ok(Self::Passing(made.context("making a temporary directory; --data-dir names another place")?))
    }

    /// The configuration, written by the demo.
    pub(super) fn config(&self) -> PathBuf {
        self.path().join("demo-config")
    }

    /// The database. Its name is not that of a real one, should both be in one directory.
    pub(super) fn database_url(&self) -> String {
        format!("sqlite:{}", self.path().join("demo.db").display())
    }

    /// The directory.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Given(directory) => directory,
            Self::Passing(directory) => directory.path(),
        }
    }
}
