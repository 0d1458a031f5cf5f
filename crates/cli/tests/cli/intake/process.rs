//! Processes that are killed when the test ends.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running process.
pub(crate) struct Process {
    child: Child,
}

impl Process {
    /// Starts a process with stderr redirected to a file.
    pub(crate) fn start(command: &mut Command, log: &Path) -> Self {
        let stderr = File::options().create(true).append(true).open(log).unwrap();
        let child = command.stdin(Stdio::null()).stderr(stderr).spawn();
        Self {
            child: child.unwrap_or_else(|error| {
                panic!("{command:?}: {error}; scripts/install-test-tools installs it")
            }),
        }
    }

    /// Sends SIGKILL.
    pub(crate) fn kill(mut self) {
        assert_eq!(self.child.try_wait().unwrap(), None, "the process had exited already");
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have exited already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Starts `tarsy serve` and waits until it listens.
pub(crate) fn serve(config: &Path, database_url: &str, listen: &str) -> (Process, SocketAddr) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tarsy"));
    command
        .args(["serve", "--listen", listen])
        // Variables of the host must not affect the tests.
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("TARSY_CONFIG_DIR", config)
        .env("TARSY_DATABASE_URL", database_url)
        .stdout(Stdio::piped());
    let mut process = Process::start(&mut command, &config.join("tarsy.log"));
    let mut line = String::new();
    BufReader::new(process.child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://").map(str::parse);
    (process, address.unwrap_or_else(|| panic!("unexpected output: {line}")).unwrap())
}

/// Returns a port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
