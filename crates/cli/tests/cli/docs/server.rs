//! A server that a page starts; it does not outlive the page.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Long enough for a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running server.
pub(crate) struct Server {
    /// Where it listens.
    pub(crate) address: String,
    child: Child,
}

impl Server {
    /// Starts one and waits until it listens; otherwise answers what it said.
    pub(crate) fn start(command: &mut Command, address: String, log: &Path) -> Result<Self, String> {
        let spawned = command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(log).unwrap())
            .spawn();
        let mut server = Self { address, child: spawned.unwrap() };
        let said = server.lines();
        while let Ok(line) = said.recv_timeout(PATIENCE) {
            if line.starts_with("listening on") {
                return Ok(server);
            }
        }
        Err(std::fs::read_to_string(log).unwrap())
    }

    /// What it says, line by line. It is read to its end, also when nobody listens any more.
    fn lines(&mut self) -> Receiver<String> {
        let stdout = BufReader::new(self.child.stdout.take().unwrap());
        let (tell, said) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                drop(tell.send(line));
            }
        });
        said
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let group = Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        // It may be gone already.
        let _ = killpg(group, Signal::SIGKILL);
        let _ = self.child.wait();
    }
}
