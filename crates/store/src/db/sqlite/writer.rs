//! The only writer of an SQLite file: takes changes from all callers and commits them in groups.
//!
//! A durable commit costs an fsync, and a disk does only some hundreds of those a second. While one group is
//! being synced the next one accumulates, so the number of fsyncs does not grow with the number of callers. A
//! caller gets its result only after the commit.
//!
//! A change that fails must not affect the others in its group. Most failures wrote nothing, so nothing has
//! to be undone. After any other failure the whole group is rolled back and run again without the failed
//! change. That is rare, and cheaper than a savepoint around every change, which makes SQLite copy pages and
//! the full-text index flush its data.

use std::any::type_name;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::task::{Context, Poll, Waker};

use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use super::open_for_writing;
use crate::StoreError;
use crate::db::connection::{ConnectionRef, DbConnection};
use crate::db::sql::sql;

/// Maximum number of queued changes; when the queue is full, callers wait to enqueue theirs.
const QUEUE_LENGTH: usize = 1024;
/// Maximum number of changes in one transaction, so that the first callers do not wait long for the commit.
const GROUP_SIZE: usize = 128;

/// A handle to the writer thread, which ends when the last handle is dropped or `close` is called.
#[derive(Clone)]
pub(crate) struct SqliteWriter {
    jobs: mpsc::Sender<WriterMessage>,
}

enum WriterMessage {
    Write(Box<dyn WriteJob>),
    Close(oneshot::Sender<()>),
}

/// A queued change.
trait WriteJob: Send {
    /// Runs the change and returns whether it succeeded.
    fn run(&mut self, connection: &mut DbConnection) -> bool;
    /// Sends the result to the caller, after the group was committed or failed.
    fn finish(self: Box<Self>, commit: Result<(), &str>);
}

struct Change<T, F> {
    change: F,
    /// `None` if the change has not run or has panicked.
    outcome: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl SqliteWriter {
    /// Opens the file at `path` and starts the writer thread.
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
        F: for<'c> Fn(&'c mut DbConnection) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    {
        let (reply, result) = oneshot::channel();
        let job = Box::new(Change { change, outcome: None, reply });
        self.jobs.send(WriterMessage::Write(job)).await.map_err(|_| StoreError::Closed)?;
        result.await.map_err(|_| StoreError::Closed)?
    }

    /// Returns the number of queued changes.
    pub(crate) fn waiting(&self) -> usize {
        self.jobs.max_capacity() - self.jobs.capacity()
    }

    /// Ends the thread after all queued changes.
    pub(crate) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.jobs.send(WriterMessage::Close(done)).await.is_ok() {
            // An error means that the thread has already ended.
            let _ = closed.await;
        }
    }
}

fn write_groups(connection: rusqlite::Connection, mut queue: mpsc::Receiver<WriterMessage>) {
    let mut connection = DbConnection::SqliteWriter(connection);
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
        let (jobs, close) = partition(messages);
        if !jobs.is_empty() {
            write_group(&mut connection, jobs);
        }
        closing = close;
    }
    drop(queue);
    drop(connection);
    for done in closing {
        // The caller may have dropped its future.
        let _ = done.send(());
    }
}

fn partition(messages: Vec<WriterMessage>) -> (Vec<Box<dyn WriteJob>>, Vec<oneshot::Sender<()>>) {
    let mut jobs = Vec::with_capacity(messages.len());
    let mut closing = Vec::new();
    for message in messages {
        match message {
            WriterMessage::Write(job) => jobs.push(job),
            WriterMessage::Close(done) => closing.push(done),
        }
    }
    (jobs, closing)
}

fn write_group(connection: &mut DbConnection, mut jobs: Vec<Box<dyn WriteJob>>) {
    while !jobs.is_empty() {
        let attempt = run_and_commit(connection, &mut jobs);
        if !matches!(attempt, Ok(Attempt::Committed)) {
            // Fails harmlessly if no transaction was started.
            let _ = command(connection, "rollback");
        }
        match attempt {
            Ok(Attempt::Committed) => jobs.drain(..).for_each(|job| job.finish(Ok(()))),
            Ok(Attempt::FailedAt(index)) => jobs.remove(index).finish(Ok(())),
            Err(error) => jobs.drain(..).for_each(|job| job.finish(Err(&error.to_string()))),
        }
    }
}

/// The outcome of running a group.
enum Attempt {
    Committed,
    /// The change at this index failed after it had written something, or panicked.
    FailedAt(usize),
}

fn run_and_commit(
    connection: &mut DbConnection,
    jobs: &mut [Box<dyn WriteJob>],
) -> Result<Attempt, StoreError> {
    command(connection, "begin immediate")?;
    for (index, job) in jobs.iter_mut().enumerate() {
        let before = total_changes(connection);
        // A bug in one change must not end the thread.
        let run = catch_unwind(AssertUnwindSafe(|| job.run(connection)));
        let is_dirty = total_changes(connection) != before || !in_transaction(connection);
        if run.is_err() || (matches!(run, Ok(false)) && is_dirty) {
            return Ok(Attempt::FailedAt(index));
        }
    }
    command(connection, "commit")?;
    Ok(Attempt::Committed)
}

/// Returns whether the transaction is still open. On a full disk or a failed write SQLite may roll it back
/// automatically; each later statement would then be committed separately.
fn in_transaction(connection: &mut DbConnection) -> bool {
    match connection.by_engine() {
        ConnectionRef::SqliteWriter(connection) => !connection.is_autocommit(),
        ConnectionRef::SqliteReader(_) | ConnectionRef::Postgres(_) => false,
    }
}

/// Returns the number of rows changed since the connection was opened, including changes that were rolled
/// back.
fn total_changes(connection: &mut DbConnection) -> u64 {
    match connection.by_engine() {
        ConnectionRef::SqliteWriter(connection) => connection.total_changes(),
        ConnectionRef::SqliteReader(_) | ConnectionRef::Postgres(_) => 0,
    }
}

fn command(connection: &mut DbConnection, text: &'static str) -> Result<(), StoreError> {
    run_to_end(text, sql(text).execute(connection))
}

/// Runs a future that must complete without waiting: the writer's statements run synchronously on its thread.
///
/// A future that waits is dropped, and the call fails with an error that names the operation. Waiting for it
/// would block all other writes.
fn run_to_end<T>(
    operation: &'static str,
    future: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => Err(StoreError::Suspended { operation }),
    }
}

impl<T, F> WriteJob for Change<T, F>
where
    T: Send + 'static,
    F: for<'c> Fn(&'c mut DbConnection) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
{
    fn run(&mut self, connection: &mut DbConnection) -> bool {
        // A panic must not leave the outcome of an earlier attempt.
        self.outcome = None;
        // The name of a closure contains the path of the method that it was written in.
        self.outcome = Some(run_to_end(type_name::<F>(), (self.change)(connection)));
        matches!(self.outcome, Some(Ok(_)))
    }

    fn finish(self: Box<Self>, commit: Result<(), &str>) {
        let result = match (self.outcome, commit) {
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(outcome)), Ok(())) => Ok(outcome),
            (None, Ok(())) => Err(StoreError::Panicked),
            (_, Err(problem)) => Err(StoreError::Commit(problem.to_owned())),
        };
        // The caller may have dropped its future; the change is committed all the same.
        drop(self.reply.send(result));
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    async fn count(writer: &SqliteWriter, statement: &'static str) -> i64 {
        let counted = writer.write(move |connection| {
            async move { sql(statement).fetch_one(connection).await?.get("n") }.boxed()
        });
        counted.await.unwrap()
    }

    async fn run(writer: &SqliteWriter, statement: &'static str) -> Result<(), StoreError> {
        writer.write(move |connection| sql(statement).execute(connection).boxed()).await
    }

    /// Makes two changes that must both succeed or both fail: a text grows, and a row is added.
    async fn grow(writer: SqliteWriter, number: i64) -> Result<(), StoreError> {
        let grown = writer.write(move |connection| {
            async move {
                sql("update grown set body = body || $1").bind("x".repeat(3000)).execute(connection).await?;
                sql("insert into growth values ($1)").bind(number).execute(connection).await
            }
            .boxed()
        });
        grown.await
    }

    async fn writer_that_grows(directory: &tempfile::TempDir) -> SqliteWriter {
        let writer = SqliteWriter::start(&directory.path().join("test.db")).unwrap();
        run(&writer, "create table grown (body text)").await.unwrap();
        run(&writer, "insert into grown values ('')").await.unwrap();
        run(&writer, "create table growth (number integer)").await.unwrap();
        writer
    }

    #[tokio::test]
    async fn a_full_disk_leaves_no_partial_change() {
        let directory = tempfile::tempdir().unwrap();
        let writer = writer_that_grows(&directory).await;
        run(&writer, "pragma max_page_count = 200").await.unwrap();

        let changes: Vec<_> = (0..400).map(|number| tokio::spawn(grow(writer.clone(), number))).collect();
        let mut written = 0;
        for change in changes {
            written += i64::from(change.await.unwrap().is_ok());
        }

        assert!(written > 0 && written < 400, "{written}");
        assert_eq!(count(&writer, "select count(*) as n from growth").await, written);
        assert_eq!(count(&writer, "select length(body) / 3000 as n from grown").await, written);
        run(&writer, "pragma max_page_count = 3000").await.unwrap();
        grow(writer.clone(), 1000).await.unwrap();
        writer.close().await;
    }

    #[tokio::test]
    async fn a_change_that_waits_fails_with_an_error_that_names_it() {
        let directory = tempfile::tempdir().unwrap();
        let writer = writer_that_grows(&directory).await;

        let waiting = writer.write(|connection| {
            async move {
                sql("insert into growth values (7)").execute(connection).await?;
                tokio::task::yield_now().await;
                Ok(())
            }
            .boxed()
        });
        let error = waiting.await.unwrap_err();

        assert!(matches!(error, StoreError::Suspended { .. }), "{error}");
        assert!(error.to_string().contains("a_change_that_waits"), "{error}");
        assert_eq!(count(&writer, "select count(*) as n from growth").await, 0);
        grow(writer.clone(), 1).await.unwrap();
        writer.close().await;
    }

    #[tokio::test]
    async fn a_change_that_panics_fails_alone() {
        let directory = tempfile::tempdir().unwrap();
        let writer = writer_that_grows(&directory).await;

        let panicking = writer.write::<(), _>(|_| async { panic!("a bug") }.boxed());
        assert!(matches!(panicking.await, Err(StoreError::Panicked)));

        grow(writer.clone(), 1).await.unwrap();
        assert_eq!(count(&writer, "select count(*) as n from growth").await, 1);
        writer.close().await;
    }
}
