//! A `tarsy serve` process, killed when the test ends.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::time::timeout;

/// A running process.
pub(crate) struct Replica {
    child: Child,
    /// The file with its log.
    log: PathBuf,
}

impl Replica {
    pub(crate) fn start(config: &std::path::Path, database_url: &str, log: PathBuf) -> Self {
        Self::start_in(&[], config, database_url, log)
    }

    /// Starts a process with these environment variables.
    pub(crate) fn start_in(
        environment: &[(&str, &str)],
        config: &std::path::Path,
        database_url: &str,
        log: PathBuf,
    ) -> Self {
        let stderr = File::options().create(true).append(true).open(&log).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_tarsy"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            // Variables of the host must not affect the tests.
            .env_clear()
            // Node may be anywhere.
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("TARSY_CONFIG_DIR", config)
            .env("TARSY_DATABASE_URL", database_url)
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr)
            .spawn()
            .unwrap();
        Self { child, log }
    }

    /// Returns the prefix of the names of its workers.
    pub(crate) fn worker_prefix(&self) -> String {
        format!("tarsy-{}-", self.child.id())
    }

    /// Sends SIGKILL.
    pub(crate) fn kill(mut self) {
        self.assert_running();
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), signal).unwrap();
    }

    /// Sends SIGTERM and waits until the process exits.
    pub(crate) async fn stop(mut self) {
        self.assert_running();
        self.signal(Signal::SIGTERM);
        let exited = async {
            let mut tick = tokio::time::interval(Duration::from_millis(10));
            loop {
                tick.tick().await;
                if let Some(status) = self.child.try_wait().unwrap() {
                    return status;
                }
            }
        };
        let status = timeout(Duration::from_secs(30), exited).await;
        let status = status.unwrap_or_else(|_| panic!("the process did not stop:\n{}", self.log_tail()));
        assert!(status.success(), "{status}:\n{}", self.log_tail());
    }

    /// Panics if the process has exited on its own.
    pub(crate) fn assert_running(&mut self) {
        if let Some(status) = self.child.try_wait().unwrap() {
            panic!("the process exited with {status}:\n{}", self.log_tail());
        }
    }

    fn log_tail(&self) -> String {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        // It may have exited already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
