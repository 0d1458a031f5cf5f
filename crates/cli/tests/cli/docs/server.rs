//! A server that a page starts, killed at the end of the page.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Generous, because the machine may be busy.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// A running server.
pub(crate) struct PageServer {
    /// The address it listens on.
    pub(crate) address: String,
    child: Child,
}

impl PageServer {
    /// Starts a server and waits until it listens. The error is its log.
    pub(crate) fn start(command: &mut Command, address: String, log: &Path) -> Result<Self, String> {
        let spawned = command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(log).unwrap())
            .spawn();
        let mut server = Self { address, child: spawned.unwrap() };
        let lines = server.lines();
        while let Ok(line) = lines.recv_timeout(TIME_LIMIT) {
            if line.starts_with("listening on") {
                return Ok(server);
            }
        }
        Err(std::fs::read_to_string(log).unwrap())
    }

    /// Returns the lines of stdout. A thread reads them until the end, so that the server never blocks.
    fn lines(&mut self) -> Receiver<String> {
        let stdout = BufReader::new(self.child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                drop(sender.send(line));
            }
        });
        lines
    }
}

impl Drop for PageServer {
    fn drop(&mut self) {
        let group = Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        // It may have exited already.
        let _ = killpg(group, Signal::SIGKILL);
        let _ = self.child.wait();
    }
}
