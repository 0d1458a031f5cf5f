//! Writes with retries, however long the database is unavailable.
//!
//! A write that was certainly not committed is retried. One that may have been committed is looked up first,
//! so that nothing is recorded twice. Waiting is safe: if another worker claims the session in the meantime,
//! the fence rejects the write. Giving up would lose a model reply that was paid for.

use std::time::Duration;

use futures_util::future::BoxFuture;
use tarsy_domain::SessionId;
use tarsy_store::StoreError;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::stop::StopCause;
use crate::stop::halt::Halt;

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(3);

/// Retries writes of one session.
pub(crate) struct Persistence<'a> {
    pub(crate) session_id: SessionId,
    /// Cancelled when this process shuts down, which is the only reason to stop waiting.
    pub(crate) shutdown: &'a CancellationToken,
}

impl Persistence<'_> {
    /// Writes until the write is committed or rejected. `is_written` checks whether an attempt without a
    /// result was committed.
    pub(crate) async fn write<'a>(
        &self,
        write: impl Fn() -> BoxFuture<'a, Result<(), StoreError>> + Send,
        is_written: impl Fn() -> BoxFuture<'a, Result<bool, StoreError>> + Send,
    ) -> Result<(), Halt> {
        let mut pause = FIRST_PAUSE;
        let mut in_doubt = false;
        loop {
            let attempt = if in_doubt { write_in_doubt(&write, &is_written).await } else { write().await };
            let error = match attempt {
                Ok(()) => return Ok(()),
                Err(error) if is_transient(&error) => error,
                Err(error) => return Err(error.into()),
            };
            in_doubt |= matches!(error, StoreError::Uncertain(_));
            warn!(session.id = %self.session_id, %error, retry_in = ?pause, "database write failed");
            tokio::select! {
                () = sleep(pause) => {}
                () = self.shutdown.cancelled() => return Err(StopCause::Parked.into()),
            }
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }
}

/// Writes after an attempt that may have been committed. Nothing is written until that is known.
async fn write_in_doubt<'a>(
    write: &(impl Fn() -> BoxFuture<'a, Result<(), StoreError>> + Send),
    is_written: &(impl Fn() -> BoxFuture<'a, Result<bool, StoreError>> + Send),
) -> Result<(), StoreError> {
    if is_written().await? {
        return Ok(());
    }
    match write().await {
        // The attempt in doubt may have been in flight during the check; then this one is rejected as a
        // duplicate.
        Err(error) if !is_transient(&error) => {
            if is_written().await? {
                Ok(())
            } else {
                Err(error)
            }
        }
        outcome => outcome,
    }
}

/// Returns whether the same write may succeed later.
fn is_transient(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Busy | StoreError::Database(_) | StoreError::Commit(_) | StoreError::Uncertain(_)
    )
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Mutex;

    use futures_util::{FutureExt, future};
    use tokio::time::{Instant, timeout};

    use super::*;

    /// A database with scripted results; after the last one every operation succeeds.
    #[derive(Default)]
    struct Database {
        writes: Mutex<VecDeque<Result<(), StoreError>>>,
        checks: Mutex<VecDeque<Result<bool, StoreError>>>,
        /// The operations: `w` for a write, `c` for a check.
        operations: Mutex<String>,
    }

    fn unavailable() -> StoreError {
        StoreError::Database("unavailable".into())
    }

    fn in_doubt() -> StoreError {
        StoreError::Uncertain("no result".into())
    }

    impl Database {
        fn new(
            writes: impl IntoIterator<Item = Result<(), StoreError>>,
            checks: impl IntoIterator<Item = Result<bool, StoreError>>,
        ) -> Self {
            Self {
                writes: Mutex::new(writes.into_iter().collect()),
                checks: Mutex::new(checks.into_iter().collect()),
                operations: Mutex::default(),
            }
        }

        async fn persist(&self, shutdown: &CancellationToken) -> Result<(), Halt> {
            let write = || {
                self.operations.lock().unwrap().push('w');
                let outcome = self.writes.lock().unwrap().pop_front().unwrap_or(Ok(()));
                async { outcome }.boxed()
            };
            let check = || {
                self.operations.lock().unwrap().push('c');
                let outcome = self.checks.lock().unwrap().pop_front().unwrap_or(Ok(false));
                async { outcome }.boxed()
            };
            Persistence { session_id: SessionId::new(), shutdown }.write(write, check).await
        }

        async fn operations(self) -> String {
            self.persist(&CancellationToken::new()).await.unwrap();
            self.operations.into_inner().unwrap()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn retries_while_the_database_is_unavailable_for_an_hour() {
        let began = Instant::now();
        let database = Database::new((0..1_300).map(|_| Err(unavailable())), []);
        assert_eq!(database.operations().await, "w".repeat(1_301));
        assert!(began.elapsed() > Duration::from_secs(3_600));
    }

    #[tokio::test(start_paused = true)]
    async fn checks_an_attempt_in_doubt_before_the_next_write() {
        let found_later =
            Database::new([Err(in_doubt())], [Err(unavailable()), Err(StoreError::Busy), Ok(true)]);
        assert_eq!(found_later.operations().await, "wccc");
        let not_written = Database::new([Err(in_doubt())], [Err(unavailable()), Ok(false)]);
        assert_eq!(not_written.operations().await, "wccw");
        let still_in_doubt = Database::new([Err(in_doubt()), Err(unavailable())], [Ok(false), Ok(true)]);
        assert_eq!(still_in_doubt.operations().await, "wcwc");
    }

    #[tokio::test(start_paused = true)]
    async fn a_duplicate_of_the_attempt_in_doubt_counts_as_written() {
        let duplicate = || StoreError::Rejected("the id is taken".into());
        let late = Database::new([Err(in_doubt()), Err(duplicate())], [Ok(false), Ok(true)]);
        assert_eq!(late.operations().await, "wcwc");
        let rejected = Database::new([Err(duplicate())], []);
        let outcome = rejected.persist(&CancellationToken::new()).await;
        assert!(matches!(outcome, Err(Halt::Broken(_))), "{outcome:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn stops_waiting_when_the_process_shuts_down() {
        let shutdown = CancellationToken::new();
        let database = Database::new((0..1_000).map(|_| Err(unavailable())), []);
        let both = future::join(database.persist(&shutdown), async { shutdown.cancel() });
        let (outcome, ()) = timeout(Duration::from_secs(1), both).await.unwrap();
        assert!(matches!(outcome, Err(Halt::Stopped(StopCause::Parked))), "{outcome:?}");
    }
}
