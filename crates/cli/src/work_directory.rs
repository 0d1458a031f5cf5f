//! The directory for the files of a command, separate from the database of a server.

use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::TempDir;

use crate::arguments::GlobalArguments;

/// The directory for the files of a command.
pub(crate) enum WorkDirectory {
    /// The data directory that the user named.
    Persistent(PathBuf),
    /// A directory that is deleted when the command ends.
    Temporary(TempDir),
}

impl WorkDirectory {
    /// Returns the directory that the user named, or creates a temporary one with this prefix.
    pub(crate) fn create(global: &GlobalArguments, prefix: &str) -> anyhow::Result<Self> {
        if let Some(directory) = global.data_dir() {
            return Ok(Self::Persistent(
                std::path::absolute(directory).context("resolving the data directory")?,
            ));
        }
        let created = tempfile::Builder::new().prefix(prefix).tempdir();
        Ok(Self::Temporary(
            created.context("creating a temporary directory; use --data-dir to choose another one")?,
        ))
    }

    /// Returns the directory for the configuration of the demo.
    pub(crate) fn demo_config(&self) -> PathBuf {
        self.path().join("demo-config")
    }

    /// Returns the URL of a database in this file. The file name must differ from that of a server's database, because
    /// both may be in the same directory.
    pub(crate) fn database_url(&self, file: &str) -> String {
        format!("sqlite:{}", self.path().join(file).display())
    }

    /// Returns the path of the directory.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Persistent(directory) => directory,
            Self::Temporary(directory) => directory.path(),
        }
    }
}
