//! The guard of a server: a small process between us and the program.
//!
//! It starts the program, forwards its standard input to it, and waits. When our end of that pipe closes,
//! because we closed it or because we died, it ends the program and all its descendants. On Linux it is their
//! subreaper, so it also finds those that left the process group or became daemons. The program writes to our
//! pipes directly; its output is not copied.
//!
//! `PR_SET_PDEATHSIG` would be simpler but is not sufficient: it is not inherited, so `npx` would end and its
//! `node` stay.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::Pid;

/// Grace period after the program's input is closed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);
/// Grace period after `SIGTERM`.
const TERMINATE_TIMEOUT: Duration = Duration::from_secs(1);
/// Time for killed processes to disappear.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);
/// Upper bound for the time that the guard takes after its input is closed.
pub(crate) const GUARD_EXIT_TIMEOUT: Duration = Duration::from_secs(6);
/// Exit code for a program that cannot be started, as in a shell.
const CANNOT_START: i32 = 127;

/// The command that starts a guard. The program and its arguments are appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// A program that calls [`run_guard`].
    pub program: PathBuf,
    /// Arguments that select the guard.
    pub arguments: Vec<String>,
}

enum GuardEvent {
    /// The other end of our standard input was closed.
    Abandoned,
    /// The program ended with this exit code.
    Ended(i32),
}

/// Runs a program as its guard and returns its exit code after all descendants have ended.
///
/// The process must exist for this purpose only: the guard takes over standard input and all child processes.
pub fn run_guard(command: impl IntoIterator<Item = OsString>) -> i32 {
    let mut command = command.into_iter();
    let Some(program) = command.next() else { return CANNOT_START };
    adopt_orphans();
    let child = Command::new(&program).args(command).stdin(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{}: {error}", program.display());
            return CANNOT_START;
        }
    };
    let (sender, events) = sync_channel(2);
    let input = child.stdin.take();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or_default());
    watch_in_background(pid, input, &sender);
    let code = wait_for_end(&events);
    end_descendants(Signal::SIGKILL, KILL_TIMEOUT);
    code
}

/// Spawns three threads that end with the process: one copies input, one watches our end, one reaps children.
fn watch_in_background(pid: Pid, input: Option<ChildStdin>, sender: &SyncSender<GuardEvent>) {
    let (abandoned, ended) = (sender.clone(), sender.clone());
    std::thread::spawn(move || copy_input(input));
    std::thread::spawn(move || {
        wait_for_hangup();
        let _ = abandoned.send(GuardEvent::Abandoned);
    });
    std::thread::spawn(move || {
        let code = reap_until(pid);
        let _ = ended.send(GuardEvent::Ended(code));
        // Keep reaping adopted orphans, so that zombies do not count as living processes.
        while wait().is_ok() {}
    });
}

/// Waits for the end of the program, which is terminated once our input is closed, and returns its exit code.
fn wait_for_end(events: &Receiver<GuardEvent>) -> i32 {
    match events.recv() {
        Ok(GuardEvent::Ended(code)) => return code,
        Ok(GuardEvent::Abandoned) | Err(_) => {}
    }
    match events.recv_timeout(EXIT_TIMEOUT) {
        Ok(GuardEvent::Ended(code)) => code,
        Ok(GuardEvent::Abandoned) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            end_descendants(Signal::SIGTERM, TERMINATE_TIMEOUT);
            128 + Signal::SIGTERM as i32
        }
    }
}

fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Waits until the other end of standard input is closed, whether or not all of it was read.
fn wait_for_hangup() {
    let stdin = io::stdin();
    let mut watched = [PollFd::new(stdin.as_fd(), PollFlags::empty())];
    while matches!(poll(&mut watched, PollTimeout::NONE), Err(Errno::EINTR)) {}
}

/// Forwards standard input to the program. Keeps reading when the program no longer reads.
fn copy_input(mut input: Option<ChildStdin>) {
    let mut buffer = vec![0; 64 * 1024];
    let mut stdin = io::stdin().lock();
    loop {
        match stdin.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => {
                if input.as_mut().is_some_and(|input| input.write_all(&buffer[..length]).is_err()) {
                    input = None;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Reaps children until `pid` has ended, and returns its exit code.
fn reap_until(pid: Pid) -> i32 {
    loop {
        match wait() {
            Ok(WaitStatus::Exited(ended, code)) if ended == pid => return code,
            Ok(WaitStatus::Signaled(ended, signal, _)) if ended == pid => return 128 + signal as i32,
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return 0,
        }
    }
}

/// Sends a signal to all descendants until none is left or the timeout expires.
fn end_descendants(signal: Signal, within: Duration) {
    let deadline = Instant::now() + within;
    loop {
        let left = descendants();
        if left.is_empty() || Instant::now() >= deadline {
            return;
        }
        for pid in left {
            let _ = kill(pid, signal);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns all living descendants of this process.
fn descendants() -> Vec<Pid> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for (pid, parent) in living_processes() {
        children.entry(parent).or_default().push(pid);
    }
    let mut found = Vec::new();
    let mut parents = vec![nix::unistd::getpid().as_raw()];
    while let Some(parent) = parents.pop() {
        let below = children.remove(&parent).unwrap_or_default();
        found.extend(below.iter().copied().map(Pid::from_raw));
        parents.extend(below);
    }
    found
}

/// Returns process id and parent id of all living processes of the machine.
fn living_processes() -> Vec<(i32, i32)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let status = |entry: std::fs::DirEntry| std::fs::read_to_string(entry.path().join("stat")).ok();
    entries.filter_map(status).filter_map(|status| read_status(&status)).collect()
}

/// Parses `pid (name) state parent …`; the name may contain anything, including parentheses.
fn read_status(status: &str) -> Option<(i32, i32)> {
    let (pid, _) = status.split_once(" (")?;
    let mut fields = status.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    if state == "Z" || state == "X" { None } else { Some((pid.parse().ok()?, parent)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_status_of_a_process_with_any_name() {
        assert_eq!(read_status("12 (node) S 7 12 12 0"), Some((12, 7)));
        assert_eq!(read_status("12 (a) S 1 (b) R 7 12"), Some((12, 7)));
        assert_eq!(read_status("12 (node) Z 7 12"), None);
        assert_eq!(read_status("nothing"), None);
    }
}
