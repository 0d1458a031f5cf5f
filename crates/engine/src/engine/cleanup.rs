//! Periodic deletion of sessions and events that exceed their retention.
//!
//! The configuration defines the retention. The store deletes everything that belongs to a session, and
//! serializes the cleanups of several processes on one database.

use std::time::Duration;

use tarsy_config::file::Retention;
use tarsy_domain::Timestamp;
use tarsy_store::{RetentionPolicy, Store, StoreError, SweepResult};
use tokio::task::yield_now;
use tokio::time::sleep;
use tracing::{debug, info, warn};

/// Delay of the first cleanup, so that it does not slow down the startup.
const START_DELAY: Duration = Duration::from_secs(1);
/// Sessions per transaction. Sessions are large, and on SQLite all other writes wait for the transaction.
const BATCH_SIZE: u32 = 25;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Runs a cleanup shortly after the start and then once per `cleanup_interval`. Never returns.
pub(crate) async fn clean_periodically(store: &Store, retention: &Retention) {
    sleep(START_DELAY).await;
    loop {
        clean(store, retention, Timestamp::now()).await;
        sleep(retention.cleanup_interval.duration()).await;
    }
}

/// Deletes everything that exceeds its retention. A failure is logged and left to the next cleanup.
pub(crate) async fn clean(store: &Store, retention: &Retention, at: Timestamp) {
    let mut deleted = SweepResult::default();
    let outcome = sweep_all(store, policy(retention), at, &mut deleted).await;
    let SweepResult { sessions, events } = deleted;
    match outcome {
        Ok(()) if deleted == SweepResult::default() => debug!("nothing exceeds its retention"),
        Ok(()) => info!(sessions, events, "deleted data that exceeded its retention"),
        Err(error) => warn!(sessions, events, %error, "cleanup failed; the next one continues"),
    }
}

async fn sweep_all(
    store: &Store,
    policy: RetentionPolicy,
    at: Timestamp,
    deleted: &mut SweepResult,
) -> Result<(), StoreError> {
    loop {
        let swept = store.retention_sweep(policy, at).await?;
        if swept == SweepResult::default() {
            return Ok(());
        }
        deleted.sessions += swept.sessions;
        deleted.events += swept.events;
        yield_now().await;
    }
}

fn policy(retention: &Retention) -> RetentionPolicy {
    RetentionPolicy {
        sessions: DAY.saturating_mul(retention.session_retention_days),
        events: retention.event_ttl.duration(),
        batch: BATCH_SIZE,
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;

    use tarsy_config::Period;
    use tarsy_domain::{Channel, SessionId};
    use tarsy_store::{QueueLimit, SessionFilter};
    use tarsy_testkit::{TestDatabase, new_session};
    use tokio::time::timeout;

    use super::*;

    const HOUR: Duration = Duration::from_secs(60 * 60);

    fn retention() -> Retention {
        Retention { session_retention_days: 2, ..Retention::default() }
    }

    /// Inserts a session and cancels it.
    async fn ended_session(store: &Store, alert_id: &str, ended: Timestamp) -> SessionId {
        let session = new_session(alert_id);
        let session_id = session.session_id;
        store.session_insert(session, QueueLimit::Unlimited, ended).await.unwrap();
        store.session_cancel(session_id, None, ended).await.unwrap();
        session_id
    }

    async fn sessions(store: &Store) -> Vec<SessionId> {
        let page = store.session_list(&SessionFilter::default(), None, 100).await.unwrap();
        page.sessions.iter().map(|listed| listed.session.session_id).collect()
    }

    async fn with_database<F: Future<Output = ()>>(claim: impl FnOnce(Store) -> F) {
        let database = TestDatabase::sqlite().await;
        claim(database.store.clone()).await;
        database.remove().await;
    }

    #[tokio::test]
    async fn deletes_everything_that_exceeds_its_retention_and_nothing_else() {
        with_database(|store| async move {
            let now = Timestamp::now();
            for number in 0..=BATCH_SIZE * 2 {
                ended_session(&store, &format!("old-{number}"), now.before(DAY * 3)).await;
            }
            let young = ended_session(&store, "young", now.before(DAY)).await;
            let new = ended_session(&store, "new", now.before(HOUR / 2)).await;
            let waiting = new_session("waiting");
            let waiting_id = waiting.session_id;
            store.session_insert(waiting, QueueLimit::Unlimited, now.before(DAY * 3)).await.unwrap();

            clean(&store, &retention(), now).await;

            let mut left = sessions(&store).await;
            left.sort_unstable();
            let mut expected = vec![young, new, waiting_id];
            expected.sort_unstable();
            assert_eq!(left, expected);
            assert_eq!(store.event_list(Channel::Session(young), 0, 10).await.unwrap(), []);
            assert_ne!(store.event_list(Channel::Session(new), 0, 10).await.unwrap(), []);
        })
        .await;
    }

    #[tokio::test]
    async fn a_failing_store_does_not_fail_the_caller() {
        with_database(|store| async move {
            store.close().await;
            clean(&store, &retention(), Timestamp::now()).await;
        })
        .await;
    }

    #[tokio::test]
    async fn cleans_soon_after_the_start_and_then_periodically() {
        with_database(|store| async move {
            let retention = Retention { cleanup_interval: Period::from_millis(20), ..retention() };
            let old = Timestamp::now().before(DAY * 3);
            let rounds = async {
                for alert_id in ["first", "second"] {
                    ended_session(&store, alert_id, old).await;
                    while !sessions(&store).await.is_empty() {
                        sleep(Duration::from_millis(20)).await;
                    }
                }
            };
            let both = async {
                tokio::select! {
                    () = rounds => {}
                    () = clean_periodically(&store, &retention) => {}
                }
            };
            timeout(Duration::from_secs(20), both).await.unwrap();
        })
        .await;
    }
}
