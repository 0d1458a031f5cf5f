//! A pool of connections for reading an SQLite file.
//!
//! A connection is opened when it is first needed and then kept. Each statement sees what was committed when
//! it started, and does not wait for the writer.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::open_for_reading;
use crate::StoreError;

/// Maximum number of connections; more would only compete for the disk.
const READERS: usize = 8;
/// How long an operation waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// The pool. Cheap to clone.
#[derive(Clone)]
pub(crate) struct SqliteReaders {
    path: Arc<PathBuf>,
    /// One permit for each connection.
    permits: Arc<Semaphore>,
    /// Open connections that are not in use.
    idle: Arc<Mutex<Vec<Connection>>>,
}

/// An acquired connection. It returns to the pool when it is dropped.
pub(crate) struct SqliteReader {
    readers: SqliteReaders,
    /// `None` before the first statement and while a statement runs.
    connection: Option<Connection>,
    /// Shared with the running statement: the connection stays in use even if the caller drops the future.
    permit: Arc<OwnedSemaphorePermit>,
}

impl SqliteReaders {
    /// Maximum number of connections.
    pub(crate) const MAX: usize = READERS;

    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path: Arc::new(path), permits: Arc::new(Semaphore::new(READERS)), idle: Arc::default() }
    }

    pub(crate) async fn acquire(&self) -> Result<SqliteReader, StoreError> {
        let permit = tokio::time::timeout(ACQUIRE_TIMEOUT, Arc::clone(&self.permits).acquire_owned());
        let permit = permit.await.map_err(|_| StoreError::Busy)?.map_err(|_| StoreError::Closed)?;
        let connection = self.idle().pop();
        Ok(SqliteReader { readers: self.clone(), connection, permit: Arc::new(permit) })
    }

    /// Returns the number of connections in use.
    pub(crate) fn in_use(&self) -> usize {
        READERS.saturating_sub(self.permits.available_permits())
    }

    /// Closes the pool after all acquired connections were returned.
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
    /// Runs `work` on the connection, on a thread that may block.
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
