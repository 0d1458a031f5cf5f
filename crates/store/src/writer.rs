//! The one writer of an SQLite file: takes changes from everybody and commits them in groups.
//!
//! A durable commit costs an fsync, and a disk does only some hundreds of those a second. While one group is
//! being synced the next one gathers, so the number of fsyncs does not grow with the number of writers. Each
//! change runs inside a savepoint: one that fails is undone alone, and its neighbours are committed. A caller
//! is answered only after the commit.
//!
//! It does not retry: a change that failed, failed.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sqlx::SqlitePool;
use tokio::sync::{mpsc, oneshot};

use crate::StoreError;
use crate::connection::Connection;
use crate::sql::sql;

/// Changes that wait at most; beyond it callers wait to hand theirs over.
const QUEUE_LENGTH: usize = 1024;
/// Changes in one transaction at most, so that one commit does not keep the first callers waiting for long.
const GROUP_SIZE: usize = 128;

/// A handle to the writer task. The task ends when the last handle is dropped or `close` was called.
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
    /// Makes the change; answers whether it is to be kept.
    fn run<'c>(&'c mut self, connection: &'c mut Connection) -> BoxFuture<'c, bool>;
    /// Answers the caller, once it is known whether the group was committed.
    fn finish(self: Box<Self>, commit: Result<(), &str>);
}

struct Change<T, F> {
    change: Option<F>,
    outcome: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl Writer {
    pub(crate) fn start(pool: SqlitePool) -> Self {
        let (jobs, queue) = mpsc::channel(QUEUE_LENGTH);
        tokio::spawn(write_groups(pool, queue));
        Self { jobs }
    }

    pub(crate) async fn write<T, F>(&self, change: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Connection) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Change { change: Some(change), outcome: None, reply });
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

async fn write_groups(pool: SqlitePool, mut queue: mpsc::Receiver<Message>) {
    while let Some(first) = queue.recv().await {
        let mut messages = vec![first];
        while messages.len() < GROUP_SIZE
            && let Ok(next) = queue.try_recv()
        {
            messages.push(next);
        }
        let (jobs, closing) = sort(messages);
        if !jobs.is_empty() {
            write_group(&pool, jobs).await;
        }
        if !closing.is_empty() {
            queue.close();
            pool.close().await;
            // A caller that stopped waiting for the end does not need to be told of it.
            for done in closing {
                let _ = done.send(());
            }
        }
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

async fn write_group(pool: &SqlitePool, mut jobs: Vec<Box<dyn Job>>) {
    let committed = run_and_commit(pool, &mut jobs).await.map_err(|error| error.to_string());
    for job in jobs {
        job.finish(committed.as_ref().copied().map_err(String::as_str));
    }
}

async fn run_and_commit(pool: &SqlitePool, jobs: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    let transaction = pool.begin_with("begin immediate").await?;
    let mut connection = Connection::SqliteTransaction { transaction, first: String::new() };
    if let [job] = jobs {
        // Alone, the transaction itself is the savepoint: dropping it undoes the change.
        return if job.run(&mut connection).await { Ok(connection.commit().await?) } else { Ok(()) };
    }
    for job in jobs {
        // It travels with the change's first statement; the commit at the end releases it.
        connection.run_first("savepoint change;");
        if !job.run(&mut connection).await {
            sql("rollback to change").execute(&mut connection).await?;
        }
        connection.run_first("release change;");
    }
    Ok(connection.commit().await?)
}

impl<T, F> Job for Change<T, F>
where
    T: Send + 'static,
    F: for<'c> FnOnce(&'c mut Connection) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
{
    fn run<'c>(&'c mut self, connection: &'c mut Connection) -> BoxFuture<'c, bool> {
        async move {
            let Some(change) = self.change.take() else { return false };
            let outcome = change(connection).await;
            let keep = outcome.is_ok();
            self.outcome = Some(outcome);
            keep
        }
        .boxed()
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
