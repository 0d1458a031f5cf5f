//! A private PostgreSQL server for a test that restarts it.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A running server, stopped and removed when it is dropped.
pub(crate) struct PostgresCluster {
    /// The database URL.
    pub(crate) url: String,
    data: PathBuf,
    keeper: Child,
}

impl PostgresCluster {
    /// Starts a durable server.
    pub(crate) fn start() -> Self {
        let mut keeper = Command::new(script("with-postgres"))
            // It runs until its stdin is closed.
            .args(["bash", "-c", "echo $TARSY_TEST_POSTGRES_URL; echo $TARSY_TEST_POSTGRES_DATA; exec cat"])
            .env_remove("TARSY_PG_FAST")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(keeper.stdout.take().unwrap()).lines();
        let url = lines.next().unwrap().unwrap();
        let data = PathBuf::from(lines.next().unwrap().unwrap());
        Self { url, data, keeper }
    }

    /// Restarts the server without a clean shutdown.
    pub(crate) fn restart(&self) {
        let found = Command::new(script("postgres-bin")).output().unwrap();
        let programs = PathBuf::from(String::from_utf8(found.stdout).unwrap().trim());
        let owner = self.data.metadata().unwrap();
        let status = Command::new(programs.join("pg_ctl"))
            .args(["restart", "--mode=immediate", "--wait", "--silent"])
            .arg("--pgdata")
            .arg(&self.data)
            .arg("--log")
            .arg(self.data.join("server.log"))
            // PostgreSQL refuses to run as root.
            .uid(owner.uid())
            .gid(owner.gid())
            .current_dir(self.data.parent().unwrap())
            .status()
            .unwrap();
        assert!(status.success(), "PostgreSQL did not restart: {status}");
    }
}

impl Drop for PostgresCluster {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        drop(self.keeper.wait());
    }
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts").join(name)
}
