//! Running servers for the commands under test.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Output, Stdio};

use crate::tarsy::{tarsy, text};

/// A running server, killed when the test ends.
pub(crate) struct RunningServer {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub(crate) address: String,
}

/// A running demo with its first session.
pub(crate) struct RunningDemo {
    server: RunningServer,
    pub(crate) session_id: String,
}

impl RunningServer {
    /// Starts a server on a free port.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", arguments)
    }

    /// Starts a server on this address.
    pub(crate) fn start_at(listen: &str, arguments: &[&str]) -> Self {
        let mut command = tarsy(arguments);
        command.args(["--listen", listen]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, stdout, address: String::new() };
        server.address = server.read_after("listening on ");
        server
    }

    /// Reads the output until a line contains `prefix`. Returns the rest of the line.
    fn read_after(&mut self, prefix: &str) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(
                self.stdout.read_line(&mut line).unwrap(),
                0,
                "the server exited before printing {prefix:?}"
            );
            if let Some((_, rest)) = line.split_once(prefix) {
                return rest.trim_end().to_owned();
            }
        }
    }
}

impl RunningDemo {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut server = RunningServer::start(&[&["demo"], arguments].concat());
        let session_id = server.read_after("/sessions/");
        Self { server, session_id }
    }

    pub(crate) fn address(&self) -> &str {
        &self.server.address
    }

    /// Runs `tarsy sessions` with this server.
    pub(crate) fn sessions(&self, arguments: &[&str]) -> Output {
        tarsy(&["sessions"]).args(arguments).env("TARSY_SERVER", self.address()).output().unwrap()
    }

    /// Runs `tarsy sessions`, which must succeed, and returns its output.
    pub(crate) fn sessions_output(&self, arguments: &[&str]) -> String {
        let output = self.sessions(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
