//! Connections for reading an SQLite file, lent one operation at a time.
//!
//! Each is opened when it is first needed and kept. They see what was committed when their statement began, and do
//! not wait for the writer.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::open_for_reading;
use crate::StoreError;

/// Concurrent readers; more would only wait for each other on the disk.
const READERS: usize = 8;
/// How long an operation waits for a free connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// The connections. Cheap to clone.
#[derive(Clone)]
pub(crate) struct SqliteReaders {
    path: Arc<PathBuf>,
    /// One permit for each connection that may be lent.
    permits: Arc<Semaphore>,
    /// Connections that nobody uses now.
    idle: Arc<Mutex<Vec<Connection>>>,
}

/// A lent connection. It goes back when it is dropped.
pub(crate) struct SqliteReader {
    readers: SqliteReaders,
    /// Away while a statement runs on it.
    connection: Option<Connection>,
    /// Kept by the statement that runs, too: the connection is in use even if nobody waits for the answer.
    permit: Arc<OwnedSemaphorePermit>,
}

impl SqliteReaders {
    /// How many connections may be lent at once.
    pub(crate) const MOST: usize = READERS;

    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path: Arc::new(path), permits: Arc::new(Semaphore::new(READERS)), idle: Arc::default() }
    }

    pub(crate) async fn lend(&self) -> Result<SqliteReader, StoreError> {
        let permit = tokio::time::timeout(ACQUIRE_TIMEOUT, Arc::clone(&self.permits).acquire_owned());
        let permit = permit.await.map_err(|_| StoreError::Busy)?.map_err(|_| StoreError::Closed)?;
        let connection = self.idle().pop();
        Ok(SqliteReader { readers: self.clone(), connection, permit: Arc::new(permit) })
    }

    /// How many are lent now.
    pub(crate) fn in_use(&self) -> usize {
        READERS.saturating_sub(self.permits.available_permits())
    }

    /// Lends no more, and waits for those that are lent.
    pub(crate) async fn close(&self) {
        let all = u32::try_from(READERS).unwrap_or(u32::MAX);
        let returned = self.permits.acquire_many(all).await;
        self.permits.close();
        drop(returned);
        self.idle().clear();
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SqliteReader {
    /// Runs `work` on the connection, on a thread that may wait for the disk.
    pub(crate) async fn run<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let kept = self.connection.take();
        let path = Arc::clone(&self.readers.path);
        let permit = Arc::clone(&self.permit);
        let ran = tokio::task::spawn_blocking(move || {
            let _in_use = permit;
            let connection = kept.map_or_else(|| open_for_reading(&path), Ok)?;
            let outcome = work(&connection);
            Ok::<_, StoreError>((connection, outcome))
        });
        let (connection, outcome) = ran.await.map_err(StoreError::database)??;
        self.connection = Some(connection);
        outcome
    }
}

impl Drop for SqliteReader {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take()
            && !self.readers.permits.is_closed()
        {
            self.readers.idle().push(connection);
        }
    }
}
