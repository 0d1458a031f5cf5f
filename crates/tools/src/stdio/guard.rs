//! The guard of a server: a small process between us and the program.
//!
//! It starts the program, hands on what we write to it, and otherwise only waits. When our end of its standard input
//! closes, because we closed it or because we are gone, it ends the program and every descendant of it. On Linux it is the
//! subreaper of all of them, so even those that left the process group or became daemons are found. The program
//! writes to our pipes directly; what it answers is not copied.
//!
//! `PR_SET_PDEATHSIG` would be simpler and is not enough: it is not inherited, so `npx` would end and its `node` stay.

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

/// How long a program has to end by itself after its input was closed.
const LEAVES_WITHIN: Duration = Duration::from_secs(2);
/// How long it has after it was asked to terminate.
const TERMINATES_WITHIN: Duration = Duration::from_secs(1);
/// How long killed processes may take to disappear.
const DISAPPEARS_WITHIN: Duration = Duration::from_secs(2);
/// How long the guard takes at most, once its input is closed.
pub(crate) const GUARD_LEAVES_WITHIN: Duration = Duration::from_secs(6);
/// What a shell answers for a program that cannot be started.
const CANNOT_START: i32 = 127;

/// The command that starts a guard; the program to be guarded and its arguments are added to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// A program that calls [`run_guard`].
    pub program: PathBuf,
    /// What makes it do so.
    pub arguments: Vec<String>,
}

enum Event {
    /// Nobody holds the other end of our standard input any more.
    Abandoned,
    /// The program has ended with this exit code.
    Ended(i32),
}

/// Runs a program as its guard and answers its exit code, when nothing of it is left.
///
/// The process must have been started for this alone: it takes its standard input and all its children.
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
    let (events, happened) = sync_channel(2);
    let input = child.stdin.take();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or_default());
    watch_in_background(pid, input, &events);
    let code = wait_for_end(&happened);
    end_descendants(Signal::SIGKILL, DISAPPEARS_WITHIN);
    code
}

/// Three threads that end with the process: one copies, one watches our end, one waits for children.
fn watch_in_background(pid: Pid, input: Option<ChildStdin>, events: &SyncSender<Event>) {
    let (abandoned, ended) = (events.clone(), events.clone());
    std::thread::spawn(move || copy_input(input));
    std::thread::spawn(move || {
        wait_for_hangup();
        let _ = abandoned.send(Event::Abandoned);
    });
    std::thread::spawn(move || {
        let code = reap_until(pid);
        let _ = ended.send(Event::Ended(code));
        // Orphans that became ours go on being reaped, so that they are not taken for living ones.
        while wait().is_ok() {}
    });
}

/// The exit code of the program, which is made to end when we are alone.
fn wait_for_end(happened: &Receiver<Event>) -> i32 {
    match happened.recv() {
        Ok(Event::Ended(code)) => return code,
        Ok(Event::Abandoned) | Err(_) => {}
    }
    match happened.recv_timeout(LEAVES_WITHIN) {
        Ok(Event::Ended(code)) => code,
        Ok(Event::Abandoned) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            end_descendants(Signal::SIGTERM, TERMINATES_WITHIN);
            128 + Signal::SIGTERM as i32
        }
    }
}

fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Returns when the other end of standard input is closed, whether or not everything was read.
fn wait_for_hangup() {
    let stdin = io::stdin();
    let mut watched = [PollFd::new(stdin.as_fd(), PollFlags::empty())];
    while matches!(poll(&mut watched, PollTimeout::NONE), Err(Errno::EINTR)) {}
}

/// Hands on what is written to us. A program that no longer reads does not stop us from reading.
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

/// Waits for children until this one has ended.
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

/// Sends a signal to everything below us until nothing is left, or time is up.
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

/// Every living process below this one.
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

/// Process and parent, of all processes of this machine that have not ended.
fn living_processes() -> Vec<(i32, i32)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let status = |entry: std::fs::DirEntry| std::fs::read_to_string(entry.path().join("stat")).ok();
    entries.filter_map(status).filter_map(|status| read_status(&status)).collect()
}

/// `pid (name) state parent …`; the name may hold anything, parentheses too.
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
    fn the_status_of_a_process_is_read_whatever_its_name_is() {
        assert_eq!(read_status("12 (node) S 7 12 12 0"), Some((12, 7)));
        assert_eq!(read_status("12 (a) S 1 (b) R 7 12"), Some((12, 7)));
        assert_eq!(read_status("12 (node) Z 7 12"), None);
        assert_eq!(read_status("nothing"), None);
    }
}
