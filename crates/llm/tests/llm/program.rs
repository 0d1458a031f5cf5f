//! A program that somebody else wrote, running for as long as a test needs it.
//!
//! It listens on a port of its own choice and says so in its log; that line is what a test waits for. It is ended when
//! the test lets go of it. Installing it is not done here but by `make test-tools`.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Interpreters start slowly when the machine is busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running program.
pub(crate) struct Program {
    child: Child,
    lines: Receiver<String>,
}

/// A program of the Python environment that `make test-tools` installs.
pub(crate) fn python_tool(name: &str) -> PathBuf {
    installed(&format!("target/test-peers/venv/bin/{name}"))
}

/// A program of the npm packages that the tests use.
pub(crate) fn node_tool(name: &str) -> PathBuf {
    installed(&format!("e2e/node_modules/.bin/{name}"))
}

fn installed(path: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    assert!(path.exists(), "{} is missing: run `make test-tools` and `npm ci` in e2e", path.display());
    path
}

impl Program {
    /// Starts a program.
    pub(crate) fn start(command: &mut Command) -> Self {
        let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let (sender, lines) = channel();
        read(child.stdout.take().unwrap(), sender.clone());
        read(child.stderr.take().unwrap(), sender);
        Self { child, lines }
    }

    /// Waits for a line with these words and gives what follows them, up to the next blank.
    pub(crate) fn told(&self, words: &str) -> String {
        let (deadline, mut said) = (Instant::now() + PATIENCE, Vec::new());
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else {
                panic!("the program never said `{words}`, only:\n{}", said.join("\n"))
            };
            if let Some((_, rest)) = line.split_once(words) {
                return rest.split_whitespace().next().unwrap_or_default().to_owned();
            }
            said.push(line);
        }
    }

    /// Asks the program to end, and gives its exit code once it has.
    #[allow(dead_code, reason = "used by the tests of the command line, which share this file")]
    pub(crate) fn stop(&mut self) -> Option<i32> {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(asked.success());
        let deadline = Instant::now() + PATIENCE;
        // The pipes close when it is gone; until then lines may come.
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return self.child.wait().unwrap().code(),
                Err(RecvTimeoutError::Timeout) => panic!("the program does not end"),
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads to the end, so that the program never waits for a reader.
fn read(output: impl Read + Send + 'static, lines: Sender<String>) {
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let _ = lines.send(line);
        }
    });
}
