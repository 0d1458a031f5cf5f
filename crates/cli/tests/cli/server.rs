//! A running `tarsy serve`, killed when the test ends.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A running server.
pub(crate) struct Server {
    child: Child,
    /// Kept open, so that the server can write to it.
    _stdout: BufReader<ChildStdout>,
    /// The URL, such as `http://127.0.0.1:40123`.
    pub(crate) url: String,
}

impl Server {
    /// Starts a server and waits until it prints its address.
    pub(crate) fn start(command: &mut Command) -> Self {
        command.env("RUST_LOG", "warn").stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{command:?}: {line}"));
        Self { child, _stdout: stdout, url: url.to_owned() }
    }

    /// Returns the body of a response, whose status must be 200.
    pub(crate) async fn get(&self, path: &str) -> String {
        let response = reqwest::get(format!("{}{path}", self.url)).await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        response.text().await.unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
