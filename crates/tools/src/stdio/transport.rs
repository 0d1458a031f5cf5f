//! The transport: one JSON message per line, over the pipes of a program.
//!
//! rmcp has one too. This one answers for a message that is too large instead of dropping it, so that the call it
//! belongs to fails at once and not at its deadline; and it ends a program by way of its guard.

use std::collections::BTreeMap;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use super::guard::GUARD_LEAVES_WITHIN;
use super::lines::Lines;
use super::program::{ProgramError, start};
use super::stderr::log_stderr;
use super::{Diagnosis, Guard};
use crate::client::message::{LARGEST_MESSAGE, read_line};
use crate::{Program, Screen};

/// How many messages wait for a program that does not read.
const WAITING: usize = 64;
/// How long what was written before the end may take to be read.
const LAST_WORDS_WITHIN: Duration = Duration::from_millis(300);

/// A program under its guard. Dropping it ends the program.
pub(crate) struct StdioTransport {
    lines: Lines<ChildStdout>,
    /// To the task that writes; gone when the transport is closed.
    outgoing: Option<mpsc::Sender<Vec<u8>>>,
    writer: JoinHandle<()>,
    logger: JoinHandle<()>,
    /// There until the transport is dropped.
    guard: Option<Child>,
    group: Option<Pid>,
    ended: bool,
    diagnosis: Diagnosis,
    /// Waits for programs whose transport was dropped.
    leaving: TaskTracker,
}

impl StdioTransport {
    /// Starts a program.
    pub(crate) fn start(
        server: &str,
        program: &Program,
        guard: &Guard,
        base_environment: &BTreeMap<String, String>,
        screen: &Screen,
        diagnosis: &Diagnosis,
        leaving: &TaskTracker,
    ) -> Result<Self, ProgramError> {
        let mut child = start(program, guard, base_environment)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            let cause = io::Error::other("a pipe is missing");
            return Err(ProgramError::Guard { guard: guard.program.clone(), cause });
        };
        let (outgoing, messages) = mpsc::channel(WAITING);
        let logging = log_stderr(server.to_owned(), stderr, diagnosis.clone(), screen.clone());
        Ok(Self {
            lines: Lines::new(stdout, LARGEST_MESSAGE),
            outgoing: Some(outgoing),
            writer: tokio::spawn(write(stdin, messages)),
            logger: tokio::spawn(logging),
            group: child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw),
            guard: Some(child),
            ended: false,
            diagnosis: diagnosis.clone(),
            leaving: leaving.clone(),
        })
    }

    /// The guard has ended, so the program has; only a guard that was killed leaves something behind.
    fn note_end(&mut self, status: &io::Result<ExitStatus>) {
        self.ended = true;
        match status {
            Ok(status) if status.code().is_some() => {
                self.diagnosis.ended(format!("the program ended with {status}"));
            }
            Ok(_) | Err(_) => {
                self.diagnosis.ended("the guard of the program was killed".to_owned());
                self.kill_group();
            }
        }
    }

    /// Why the program says nothing more, if that shows soon.
    async fn hear_out(&mut self) {
        if !self.ended
            && let Ok(status) = timeout(LAST_WORDS_WITHIN, end_of(&mut self.guard)).await
        {
            self.note_end(&status);
        }
        settle(&mut self.logger).await;
    }

    fn kill_group(&self) {
        kill_all(self.group);
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let closed = || io::Error::new(io::ErrorKind::BrokenPipe, "the program has ended");
            outgoing.ok_or_else(closed)?.send(line).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let line = if self.ended {
                timeout(LAST_WORDS_WITHIN, self.lines.next()).await.ok()?
            } else {
                tokio::select! {
                    line = self.lines.next() => line,
                    status = end_of(&mut self.guard) => {
                        self.note_end(&status);
                        continue;
                    }
                }
            };
            let Some(line) = line else {
                self.hear_out().await;
                return None;
            };
            if let Some(message) = read_line(line, &self.diagnosis) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.outgoing = None;
        // A program that does not read would hold up the writer, and with it the end of the pipe.
        settle(&mut self.writer).await;
        self.writer.abort();
        if !self.ended {
            let ended = timeout(GUARD_LEAVES_WITHIN, end_of(&mut self.guard)).await;
            match ended {
                Ok(status) => self.note_end(&status),
                Err(_) => {
                    self.kill_group();
                    end_of(&mut self.guard).await?;
                }
            }
        }
        settle(&mut self.logger).await;
        self.logger.abort();
        Ok(())
    }
}

impl Drop for StdioTransport {
    fn drop(&mut self) {
        // The pipe closes with the writer; the guard does the rest. The logger ends with the last who could write.
        self.writer.abort();
        let guard = self.guard.take().filter(|_| !self.ended);
        if let (Some(guard), Ok(runtime)) = (guard, Handle::try_current()) {
            self.leaving.spawn_on(leave(guard, self.group), &runtime);
        }
    }
}

/// Waits until a guard has ended, and so its program.
async fn end_of(guard: &mut Option<Child>) -> io::Result<ExitStatus> {
    match guard {
        Some(guard) => guard.wait().await,
        None => std::future::pending().await,
    }
}

/// Sees a program off that nobody talks to any more.
async fn leave(mut guard: Child, group: Option<Pid>) {
    if timeout(GUARD_LEAVES_WITHIN, guard.wait()).await.is_err() {
        kill_all(group);
    }
}

fn kill_all(group: Option<Pid>) {
    if let Some(group) = group {
        let _ = killpg(group, Signal::SIGKILL);
    }
}

/// Gives a task a moment to come to its end by itself.
async fn settle(task: &mut JoinHandle<()>) {
    if !task.is_finished() {
        let _ = timeout(LAST_WORDS_WITHIN, task).await;
    }
}

/// Writes messages until there are none, or nobody reads them.
async fn write(mut stdin: ChildStdin, mut messages: mpsc::Receiver<Vec<u8>>) {
    while let Some(message) = messages.recv().await {
        if stdin.write_all(&message).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}
