//! The transport: one JSON message per line, over the pipes of a program.
//!
//! Unlike rmcp's, this one replaces a message that is too large with an error response instead of dropping
//! it, so that its call fails immediately and not at its deadline; and it ends a program through its guard.

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

use super::guard::GUARD_EXIT_TIMEOUT;
use super::lines::BoundedLines;
use super::program::{ProgramError, start};
use super::stderr::log_stderr;
use super::{Diagnosis, Guard};
use crate::client::message::{MAX_MESSAGE_BYTES, read_line};
use crate::{Program, Screen};

/// Maximum number of messages that are queued for a program that does not read.
const QUEUE_CAPACITY: usize = 64;
/// Timeout of reading what the program wrote before it ended.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(300);

/// A program under its guard. Dropping it ends the program.
pub(crate) struct StdioTransport {
    lines: BoundedLines<ChildStdout>,
    /// Queue of the writer task; `None` once the transport is closed.
    outgoing: Option<mpsc::Sender<Vec<u8>>>,
    writer: JoinHandle<()>,
    logger: JoinHandle<()>,
    /// Present until the transport is dropped.
    guard: Option<Child>,
    group: Option<Pid>,
    ended: bool,
    diagnosis: Diagnosis,
    /// Tracks programs whose transport was dropped until they end.
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
        let (outgoing, messages) = mpsc::channel(QUEUE_CAPACITY);
        let logging = log_stderr(server.to_owned(), stderr, diagnosis.clone(), screen.clone());
        Ok(Self {
            lines: BoundedLines::new(stdout, MAX_MESSAGE_BYTES),
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

    /// Records the end of the guard, and so of the program. Only a killed guard leaves processes behind.
    fn note_end(&mut self, status: &io::Result<ExitStatus>) {
        self.ended = true;
        match status {
            Ok(status) if status.code().is_some() => {
                self.diagnosis.set_ending(format!("the program ended with {status}"));
            }
            Ok(_) | Err(_) => {
                self.diagnosis.set_ending("the guard of the program was killed".to_owned());
                self.kill_group();
            }
        }
    }

    /// After the end of standard output: waits briefly for the exit status and the rest of standard error.
    async fn collect_ending(&mut self) {
        if !self.ended
            && let Ok(status) = timeout(DRAIN_TIMEOUT, end_of(&mut self.guard)).await
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
                timeout(DRAIN_TIMEOUT, self.lines.next()).await.ok()?
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
                self.collect_ending().await;
                return None;
            };
            if let Some(message) = read_line(line, &self.diagnosis) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.outgoing = None;
        // A program that does not read would block the writer, and with it the closing of the pipe.
        settle(&mut self.writer).await;
        self.writer.abort();
        if !self.ended {
            let ended = timeout(GUARD_EXIT_TIMEOUT, end_of(&mut self.guard)).await;
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
        // Aborting the writer closes the pipe, and the guard then ends the program. The logger ends when the
        // last process that writes to its pipe exits.
        self.writer.abort();
        let guard = self.guard.take().filter(|_| !self.ended);
        if let (Some(guard), Ok(runtime)) = (guard, Handle::try_current()) {
            self.leaving.spawn_on(wait_or_kill(guard, self.group), &runtime);
        }
    }
}

/// Waits for the end of a guard, and so of its program.
async fn end_of(guard: &mut Option<Child>) -> io::Result<ExitStatus> {
    match guard {
        Some(guard) => guard.wait().await,
        None => std::future::pending().await,
    }
}

/// Waits for the end of an abandoned program, and kills it after a timeout.
async fn wait_or_kill(mut guard: Child, group: Option<Pid>) {
    if timeout(GUARD_EXIT_TIMEOUT, guard.wait()).await.is_err() {
        kill_all(group);
    }
}

fn kill_all(group: Option<Pid>) {
    if let Some(group) = group {
        let _ = killpg(group, Signal::SIGKILL);
    }
}

/// Waits briefly for a task to end on its own.
async fn settle(task: &mut JoinHandle<()>) {
    if !task.is_finished() {
        let _ = timeout(DRAIN_TIMEOUT, task).await;
    }
}

/// Writes messages until the queue is closed or the program no longer reads.
async fn write(mut stdin: ChildStdin, mut messages: mpsc::Receiver<Vec<u8>>) {
    while let Some(message) = messages.recv().await {
        if stdin.write_all(&message).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}
