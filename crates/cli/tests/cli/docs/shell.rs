//! A persistent shell that returns the exit status and output of each command.

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

/// The time limit of a command.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A running shell.
pub(crate) struct Shell {
    child: Child,
    stdin: ChildStdin,
    /// The exit statuses, one line each.
    statuses: Receiver<String>,
    root: PathBuf,
}

/// The result of a command.
pub(crate) struct CommandResult {
    /// The exit status; `None` if the command did not exit.
    pub(crate) status: Option<i32>,
    /// Stdout and stderr.
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
        let mut stdin = child.stdin.take().unwrap();
        // A failure within a pipeline must fail the command.
        writeln!(stdin, "set -o pipefail").unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, statuses) = channel();
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { child, stdin, statuses, root: root.to_owned() }
    }

    /// Runs a command until it exits.
    pub(crate) fn run(&mut self, command: &str) -> CommandResult {
        let (script, output) = (self.root.join("command.sh"), self.root.join("output.txt"));
        fs::write(&script, command).unwrap();
        fs::write(&output, "").unwrap();
        let line = format!("source {} </dev/null >{} 2>&1; echo $?", script.display(), output.display());
        // If the shell has exited, this fails, and there is no status either.
        drop(writeln!(self.stdin, "{line}"));
        let status = self.statuses.recv_timeout(TIME_LIMIT).ok().and_then(|line| line.parse().ok());
        CommandResult { status, output: String::from_utf8_lossy(&fs::read(&output).unwrap()).into_owned() }
    }

    /// Returns the environment of the shell.
    pub(crate) fn environment(&mut self) -> Vec<(String, String)> {
        let listed = self.run("env -0").output;
        let variables = listed.split('\0').filter_map(|variable| variable.split_once('='));
        variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Returns the working directory.
    pub(crate) fn directory(&mut self) -> PathBuf {
        PathBuf::from(self.run("pwd").output.trim_end())
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let group = Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        // It may have exited already.
        let _ = killpg(group, Signal::SIGKILL);
        let _ = self.child.wait();
    }
}
