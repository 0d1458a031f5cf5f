//! One running `tarsy serve`, which does not outlive its test.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::time::timeout;

/// A process.
pub(crate) struct Replica {
    child: Child,
    /// What it has to say.
    log: PathBuf,
}

impl Replica {
    pub(crate) fn start(config: &std::path::Path, database_url: &str, log: PathBuf) -> Self {
        Self::start_in(&[], config, database_url, log)
    }

    /// With these variables in its environment.
    pub(crate) fn start_in(
        environment: &[(&str, &str)],
        config: &std::path::Path,
        database_url: &str,
        log: PathBuf,
    ) -> Self {
        let said = File::options().create(true).append(true).open(&log).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_tarsy"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            // Whatever is set on the machine that runs the tests must not decide them.
            .env_clear()
            // Node may be anywhere.
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("TARSY_CONFIG_DIR", config)
            .env("TARSY_DATABASE_URL", database_url)
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said)
            .spawn()
            .unwrap();
        Self { child, log }
    }

    /// How the names of its workers begin.
    pub(crate) fn worker_prefix(&self) -> String {
        format!("tarsy-{}-", self.child.id())
    }

    /// Kills it as hard as it goes.
    pub(crate) fn kill(mut self) {
        self.must_run();
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), signal).unwrap();
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) async fn stop(mut self) {
        self.must_run();
        self.signal(Signal::SIGTERM);
        let gone = async {
            let mut tick = tokio::time::interval(Duration::from_millis(10));
            loop {
                tick.tick().await;
                if let Some(status) = self.child.try_wait().unwrap() {
                    return status;
                }
            }
        };
        let status = timeout(Duration::from_secs(30), gone).await;
        let status = status.unwrap_or_else(|_| panic!("it does not stop:\n{}", self.last_words()));
        assert!(status.success(), "{status}:\n{}", self.last_words());
    }

    /// A process that ended by itself has found a fault that nobody asked for.
    pub(crate) fn must_run(&mut self) {
        if let Some(status) = self.child.try_wait().unwrap() {
            panic!("the process ended by itself, {status}:\n{}", self.last_words());
        }
    }

    fn last_words(&self) -> String {
        let said = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = said.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        // It may be gone already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
