//! Writing through times when the database is away, however long they are.
//!
//! A write that certainly did not happen is tried again. One that may have happened is looked for first, so that nothing
//! is recorded twice. Waiting does no harm: if somebody else has taken the session over in the meantime, the fence
//! refuses the write. Giving up would lose an answer that was paid for.

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

/// Somebody who writes until it is written.
pub(crate) struct Persistence<'a> {
    pub(crate) session_id: SessionId,
    /// Cancelled when this process goes away, which is the one reason not to wait any longer.
    pub(crate) leaving: &'a CancellationToken,
}

impl Persistence<'_> {
    /// Writes until it is written or refused. `written` says whether an attempt without an answer has succeeded.
    pub(crate) async fn write<'a>(
        &self,
        write: impl Fn() -> BoxFuture<'a, Result<(), StoreError>> + Send,
        written: impl Fn() -> BoxFuture<'a, Result<bool, StoreError>> + Send,
    ) -> Result<(), Halt> {
        let mut pause = FIRST_PAUSE;
        let mut in_doubt = false;
        loop {
            let attempt = if in_doubt { write_in_doubt(&write, &written).await } else { write().await };
            let error = match attempt {
                Ok(()) => return Ok(()),
                Err(error) if is_passing(&error) => error,
                Err(error) => return Err(error.into()),
            };
            in_doubt |= matches!(error, StoreError::Uncertain(_));
            warn!(session.id = %self.session_id, %error, "a write did not succeed and is tried again");
            tokio::select! {
                () = sleep(pause) => {}
                () = self.leaving.cancelled() => return Err(StopCause::Parked.into()),
            }
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }
}

/// Writes after an attempt that may have succeeded. While nobody can say whether it has, nothing is written.
async fn write_in_doubt<'a>(
    write: &(impl Fn() -> BoxFuture<'a, Result<(), StoreError>> + Send),
    written: &(impl Fn() -> BoxFuture<'a, Result<bool, StoreError>> + Send),
) -> Result<(), StoreError> {
    if written().await? {
        return Ok(());
    }
    match write().await {
        // The attempt in doubt may have been under way still when it was looked for; then this one is refused.
        Err(error) if !is_passing(&error) => {
            if written().await? {
                Ok(())
            } else {
                Err(error)
            }
        }
        outcome => outcome,
    }
}

/// Whether the same write may succeed a moment later.
fn is_passing(error: &StoreError) -> bool {
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

    /// A database that does as it is told, in order; then all is well.
    #[derive(Default)]
    struct Database {
        writes: Mutex<VecDeque<Result<(), StoreError>>>,
        looks: Mutex<VecDeque<Result<bool, StoreError>>>,
        /// What was asked of it: `w`rite or `l`ook.
        asked: Mutex<String>,
    }

    fn away() -> StoreError {
        StoreError::Database("away".into())
    }

    fn in_doubt() -> StoreError {
        StoreError::Uncertain("no answer".into())
    }

    impl Database {
        fn new(
            writes: impl IntoIterator<Item = Result<(), StoreError>>,
            looks: impl IntoIterator<Item = Result<bool, StoreError>>,
        ) -> Self {
            Self {
                writes: Mutex::new(writes.into_iter().collect()),
                looks: Mutex::new(looks.into_iter().collect()),
                asked: Mutex::default(),
            }
        }

        async fn persist(&self, leaving: &CancellationToken) -> Result<(), Halt> {
            let write = || {
                self.asked.lock().unwrap().push('w');
                let outcome = self.writes.lock().unwrap().pop_front().unwrap_or(Ok(()));
                async { outcome }.boxed()
            };
            let look = || {
                self.asked.lock().unwrap().push('l');
                let outcome = self.looks.lock().unwrap().pop_front().unwrap_or(Ok(false));
                async { outcome }.boxed()
            };
            Persistence { session_id: SessionId::new(), leaving }.write(write, look).await
        }

        async fn asked(self) -> String {
            self.persist(&CancellationToken::new()).await.unwrap();
            self.asked.into_inner().unwrap()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_database_may_be_away_for_an_hour() {
        let began = Instant::now();
        let database = Database::new((0..1_300).map(|_| Err(away())), []);
        assert_eq!(database.asked().await, "w".repeat(1_301));
        assert!(began.elapsed() > Duration::from_secs(3_600));
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_written_while_an_earlier_attempt_is_in_doubt() {
        let found_later = Database::new([Err(in_doubt())], [Err(away()), Err(StoreError::Busy), Ok(true)]);
        assert_eq!(found_later.asked().await, "wlll");
        let not_there = Database::new([Err(in_doubt())], [Err(away()), Ok(false)]);
        assert_eq!(not_there.asked().await, "wllw");
        let doubt_stays = Database::new([Err(in_doubt()), Err(away())], [Ok(false), Ok(true)]);
        assert_eq!(doubt_stays.asked().await, "wlwl");
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_by_the_attempt_in_doubt_itself_is_none() {
        let taken = || StoreError::Rejected("the id is taken".into());
        let late = Database::new([Err(in_doubt()), Err(taken())], [Ok(false), Ok(true)]);
        assert_eq!(late.asked().await, "wlwl");
        let refused = Database::new([Err(taken())], []);
        let outcome = refused.persist(&CancellationToken::new()).await;
        assert!(matches!(outcome, Err(Halt::Broken(_))), "{outcome:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_process_that_goes_away_does_not_wait() {
        let leaving = CancellationToken::new();
        let database = Database::new((0..1_000).map(|_| Err(away())), []);
        let both = future::join(database.persist(&leaving), async { leaving.cancel() });
        let (outcome, ()) = timeout(Duration::from_secs(1), both).await.unwrap();
        assert!(matches!(outcome, Err(Halt::Stopped(StopCause::Parked))), "{outcome:?}");
    }
}
