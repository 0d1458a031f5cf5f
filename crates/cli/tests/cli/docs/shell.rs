//! A shell that remembers what a page sets, and tells how each command ended and what it said.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::sandbox::WORK;

/// A command that takes longer does not end by itself.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running shell.
pub(crate) struct Shell {
    child: Child,
    orders: ChildStdin,
    /// The exit status of each command, as a line.
    ended: Receiver<String>,
    root: PathBuf,
}

/// A command that was run.
pub(crate) struct Ran {
    /// None if it did not end.
    pub(crate) status: Option<i32>,
    /// What it wrote to either output.
    pub(crate) output: String,
}

impl Shell {
    /// Starts a shell in the sandbox at `root`.
    pub(crate) fn start(root: &Path, environment: &[(&'static str, String)]) -> Self {
        let mut child = Command::new("bash")
            .args(["--noprofile", "--norc"])
            .env_clear()
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .current_dir(root.join(WORK))
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut orders = child.stdin.take().unwrap();
        // A page must not go on from half of a pipeline.
        writeln!(orders, "set -o pipefail").unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (tell, ended) = channel();
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
        Self { child, orders, ended, root: root.to_owned() }
    }

    /// Runs a command to its end.
    pub(crate) fn run(&mut self, command: &str) -> Ran {
        let (script, output) = (self.root.join("command.sh"), self.root.join("output.txt"));
        fs::write(&script, command).unwrap();
        fs::write(&output, "").unwrap();
        let order = format!("source {} </dev/null >{} 2>&1; echo $?", script.display(), output.display());
        // A shell that has ended does not take it, and says no status either.
        drop(writeln!(self.orders, "{order}"));
        let status = self.ended.recv_timeout(PATIENCE).ok().and_then(|line| line.parse().ok());
        Ran { status, output: String::from_utf8_lossy(&fs::read(&output).unwrap()).into_owned() }
    }

    /// What programs that it starts find in their environment.
    pub(crate) fn environment(&mut self) -> Vec<(String, String)> {
        let listed = self.run("env -0").output;
        let settings = listed.split('\0').filter_map(|setting| setting.split_once('='));
        settings.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Where it is.
    pub(crate) fn directory(&mut self) -> PathBuf {
        PathBuf::from(self.run("pwd").output.trim_end())
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let group = Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        // It may be gone already.
        let _ = killpg(group, Signal::SIGKILL);
        let _ = self.child.wait();
    }
}
