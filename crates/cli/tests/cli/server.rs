//! A running `tarsy serve`; it does not outlive its test.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A running server.
pub(crate) struct Server {
    child: Child,
    /// Kept open, for it may have more to say.
    _stdout: BufReader<ChildStdout>,
    /// Where it listens, such as `http://127.0.0.1:40123`.
    pub(crate) url: String,
}

impl Server {
    /// Starts it, and waits until it says where it listens.
    pub(crate) fn start(command: &mut Command) -> Self {
        command.env("RUST_LOG", "warn").stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{command:?}: {line}"));
        Self { child, _stdout: stdout, url: url.to_owned() }
    }

    /// What it answers, which must be 200.
    pub(crate) async fn get(&self, path: &str) -> String {
        let answer = reqwest::get(format!("{}{path}", self.url)).await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.text().await.unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
