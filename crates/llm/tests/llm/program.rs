//! A third-party program that runs for the duration of a test.
//!
//! It listens on a port of its own choice and prints it; the test waits for that line. The program is
//! terminated on drop. `make test-tools` installs it.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Timeout for the start; interpreters are slow on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running program.
pub(crate) struct Program {
    child: Child,
    lines: Receiver<String>,
}

/// Returns the path of a program in the Python environment that `make test-tools` installs.
pub(crate) fn python_tool(name: &str) -> PathBuf {
    installed(&format!("target/test-peers/venv/bin/{name}"))
}

/// Returns the path of a program of the npm packages that the tests use.
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

    /// Waits for a line that contains `prefix` and returns the text after it, up to the next whitespace.
    pub(crate) fn printed_after(&self, prefix: &str) -> String {
        let (deadline, mut said) = (Instant::now() + PATIENCE, Vec::new());
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else {
                panic!("the program never said `{prefix}`, only:\n{}", said.join("\n"))
            };
            if let Some((_, rest)) = line.split_once(prefix) {
                return rest.split_whitespace().next().unwrap_or_default().to_owned();
            }
            said.push(line);
        }
    }

    /// Terminates the program and returns its exit code.
    #[allow(dead_code, reason = "used by the tests of the command line, which share this file")]
    pub(crate) fn stop(&mut self) -> Option<i32> {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(asked.success());
        let deadline = Instant::now() + PATIENCE;
        // The pipes close when the program exits; until then more lines may arrive.
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
        // The program may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads to the end, so that the program never blocks on a full pipe.
fn read(output: impl Read + Send + 'static, lines: Sender<String>) {
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let _ = lines.send(line);
        }
    });
}
