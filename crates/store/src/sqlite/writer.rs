//! The one writer of an SQLite file: takes changes from everybody and commits them in groups.
//!
//! A durable commit costs an fsync, and a disk does only some hundreds of those a second. While one group is
//! being synced the next one gathers, so the number of fsyncs does not grow with the number of writers. A caller is
//! answered only after the commit.
//!
//! A change that fails must not take its neighbours with it. Most failures are refusals that wrote nothing, and
//! nothing has to be undone. After any other the whole group is undone and run again without it: rare, and cheaper
//! than a savepoint around every change, which makes SQLite copy pages and the full-text index write itself out.

use std::path::Path;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use super::open_for_writing;
use crate::StoreError;
use crate::connection::{Connection, Link};
use crate::sql::sql;

/// Changes that wait at most; beyond it callers wait to hand theirs over.
const QUEUE_LENGTH: usize = 1024;
/// Changes in one transaction at most, so that one commit does not keep the first callers waiting for long.
const GROUP_SIZE: usize = 128;

/// A handle to the writer's thread, which ends when the last handle is dropped or `close` was called.
#[derive(Clone)]
pub(crate) struct Writer {
    jobs: mpsc::Sender<Message>,
}

enum Message {
    Write(Box<dyn Job>),
    Close(oneshot::Sender<()>),
}

/// A change on its way through the writer.
trait Job: Send {
    /// Makes the change; answers whether it succeeded.
    fn run(&mut self, connection: &mut Connection) -> bool;
    /// Answers the caller, once it is known whether the group was committed.
    fn finish(self: Box<Self>, commit: Result<(), &str>);
}

struct Change<T, F> {
    change: F,
    outcome: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl Writer {
    /// Opens the file at `path` and starts the thread that writes to it.
    pub(crate) fn start(path: &Path) -> Result<Self, StoreError> {
        let connection = open_for_writing(path)?;
        let (jobs, queue) = mpsc::channel(QUEUE_LENGTH);
        std::thread::Builder::new()
            .name("tarsy-writer".to_owned())
            .spawn(move || write_groups(connection, queue))
            .map_err(StoreError::database)?;
        Ok(Self { jobs })
    }

    pub(crate) async fn write<T, F>(&self, change: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> Fn(&'c mut Connection) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Change { change, outcome: None, reply });
        self.jobs.send(Message::Write(job)).await.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Ends the task after everything that was handed over before.
    pub(crate) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.jobs.send(Message::Close(done)).await.is_ok() {
            // An error means that the task is gone already, which is what was wanted.
            let _ = closed.await;
        }
    }
}

fn write_groups(connection: rusqlite::Connection, mut queue: mpsc::Receiver<Message>) {
    let mut connection = Connection::SqliteWriter(connection);
    let mut closing = Vec::new();
    while closing.is_empty()
        && let Some(first) = queue.blocking_recv()
    {
        let mut messages = vec![first];
        while messages.len() < GROUP_SIZE
            && let Ok(next) = queue.try_recv()
        {
            messages.push(next);
        }
        let (jobs, close) = sort(messages);
        if !jobs.is_empty() {
            write_group(&mut connection, jobs);
        }
        closing = close;
    }
    drop(queue);
    drop(connection);
    for done in closing {
        // A caller that stopped waiting for the end does not need to be told of it.
        let _ = done.send(());
    }
}

fn sort(messages: Vec<Message>) -> (Vec<Box<dyn Job>>, Vec<oneshot::Sender<()>>) {
    let mut jobs = Vec::with_capacity(messages.len());
    let mut closing = Vec::new();
    for message in messages {
        match message {
            Message::Write(job) => jobs.push(job),
            Message::Close(done) => closing.push(done),
        }
    }
    (jobs, closing)
}

fn write_group(connection: &mut Connection, mut jobs: Vec<Box<dyn Job>>) {
    while !jobs.is_empty() {
        let attempt = run_and_commit(connection, &mut jobs);
        if !matches!(attempt, Ok(Attempt::Committed)) {
            // Whatever was begun is undone; if nothing was, there is nothing to undo.
            let _ = command(connection, "rollback");
        }
        match attempt {
            Ok(Attempt::Committed) => jobs.drain(..).for_each(|job| job.finish(Ok(()))),
            Ok(Attempt::SpoiledBy(index)) => jobs.remove(index).finish(Ok(())),
            Err(error) => jobs.drain(..).for_each(|job| job.finish(Err(&error.to_string()))),
        }
    }
}

/// What came of running a group.
enum Attempt {
    Committed,
    /// The change at this place failed after it had written something.
    SpoiledBy(usize),
}

fn run_and_commit(connection: &mut Connection, jobs: &mut [Box<dyn Job>]) -> Result<Attempt, StoreError> {
    command(connection, "begin immediate")?;
    for (index, job) in jobs.iter_mut().enumerate() {
        let before = total_changes(connection);
        if !job.run(connection) && total_changes(connection) != before {
            return Ok(Attempt::SpoiledBy(index));
        }
    }
    command(connection, "commit")?;
    Ok(Attempt::Committed)
}

/// Rows changed since the connection was opened, undone ones included.
fn total_changes(connection: &mut Connection) -> u64 {
    match connection.link() {
        Link::SqliteWriter(connection) => connection.total_changes(),
        Link::SqliteReader(_) | Link::Postgres(_) => 0,
    }
}

fn command(connection: &mut Connection, text: &'static str) -> Result<(), StoreError> {
    at_once(sql(text).execute(connection)).unwrap_or(Err(StoreError::Closed))
}

/// The outcome of a future that has nothing to wait for, because the writer's statements run where they are called.
fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    std::pin::pin!(future).now_or_never()
}

impl<T, F> Job for Change<T, F>
where
    T: Send + 'static,
    F: for<'c> Fn(&'c mut Connection) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
{
    fn run(&mut self, connection: &mut Connection) -> bool {
        self.outcome = at_once((self.change)(connection));
        matches!(self.outcome, Some(Ok(_)))
    }

    fn finish(self: Box<Self>, commit: Result<(), &str>) {
        let answer = match (self.outcome, commit) {
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(outcome)), Ok(())) => Ok(outcome),
            (None, Ok(())) => Err(StoreError::Closed),
            (_, Err(problem)) => Err(StoreError::Commit(problem.to_owned())),
        };
        // The caller may have stopped waiting; the change stands all the same.
        drop(self.reply.send(answer));
    }
}
