//! Servers for commands that ask one.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Output, Stdio};

use crate::tarsy::{tarsy, text};

/// A running server; it does not outlive its test.
pub(crate) struct RunningServer {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub(crate) address: String,
}

/// A running demo, whose first alert is being investigated.
pub(crate) struct RunningDemo {
    server: RunningServer,
    pub(crate) session_id: String,
}

impl RunningServer {
    /// Starts a command that serves, on any free port.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", arguments)
    }

    /// Starts a command that serves, on this address.
    pub(crate) fn start_at(listen: &str, arguments: &[&str]) -> Self {
        let mut command = tarsy(arguments);
        command.args(["--listen", listen]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, stdout, address: String::new() };
        server.address = server.word_after("listening on ");
        server
    }

    /// The word that comes after this on a line of its output.
    fn word_after(&mut self, mark: &str) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "it ended without saying {mark:?}");
            if let Some((_, rest)) = line.split_once(mark) {
                return rest.trim_end().to_owned();
            }
        }
    }
}

impl RunningDemo {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut server = RunningServer::start(&[&["demo"], arguments].concat());
        let session_id = server.word_after("/sessions/");
        Self { server, session_id }
    }

    pub(crate) fn address(&self) -> &str {
        &self.server.address
    }

    /// `tarsy sessions` about this server.
    pub(crate) fn sessions(&self, arguments: &[&str]) -> Output {
        tarsy(&["sessions"]).args(arguments).env("TARSY_SERVER", self.address()).output().unwrap()
    }

    /// The same, which must go well; what it prints.
    pub(crate) fn told(&self, arguments: &[&str]) -> String {
        let output = self.sessions(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // Nobody is left to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
