//! The janitor: removes sessions and events that have been kept long enough, round after round.
//!
//! What is old is the configuration's word, and what belongs to a session is the store's. Several processes may clean the
//! same database: the store has them take turns.

use std::time::Duration;

use tarsy_config::file::Retention;
use tarsy_domain::Timestamp;
use tarsy_store::{RetentionPolicy, Store, StoreError, Swept};
use tokio::task::yield_now;
use tokio::time::sleep;
use tracing::{debug, info, warn};

/// A process that starts has other things to do first.
const FIRST_ROUND_AFTER: Duration = Duration::from_secs(1);
/// Sessions are large, and on SQLite everybody's writes wait while a batch is removed.
const BATCH: u32 = 25;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Cleans soon, and then once in every `cleanup_interval`, for as long as it is awaited.
pub(crate) async fn clean_now_and_then(store: &Store, retention: &Retention) {
    sleep(FIRST_ROUND_AFTER).await;
    loop {
        clean(store, retention, Timestamp::now()).await;
        sleep(retention.cleanup_interval.duration()).await;
    }
}

/// Removes all that is too old. What cannot be removed now is left to the next round.
pub(crate) async fn clean(store: &Store, retention: &Retention, at: Timestamp) {
    let mut removed = Swept::default();
    let outcome = sweep_all(store, policy(retention), at, &mut removed).await;
    let Swept { sessions, events } = removed;
    match outcome {
        Ok(()) if removed == Swept::default() => debug!("nothing is old enough to be removed"),
        Ok(()) => info!(sessions, events, "removed what was kept long enough"),
        Err(error) => warn!(sessions, events, %error, "cleaning up stopped early, the next round goes on"),
    }
}

async fn sweep_all(
    store: &Store,
    policy: RetentionPolicy,
    at: Timestamp,
    removed: &mut Swept,
) -> Result<(), StoreError> {
    loop {
        let swept = store.retention_sweep(policy, at).await?;
        if swept == Swept::default() {
            return Ok(());
        }
        removed.sessions += swept.sessions;
        removed.events += swept.events;
        yield_now().await;
    }
}

fn policy(retention: &Retention) -> RetentionPolicy {
    RetentionPolicy {
        sessions: DAY.saturating_mul(retention.session_retention_days),
        events: retention.event_ttl.duration(),
        batch: BATCH,
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

    /// A session that was cancelled before it began.
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
    async fn one_round_removes_all_that_is_old_and_nothing_else() {
        with_database(|store| async move {
            let now = Timestamp::now();
            for number in 0..=BATCH * 2 {
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
    async fn a_store_that_fails_does_not_fail_the_caller() {
        with_database(|store| async move {
            store.close().await;
            clean(&store, &retention(), Timestamp::now()).await;
        })
        .await;
    }

    #[tokio::test]
    async fn rounds_begin_soon_and_come_again() {
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
                    () = clean_now_and_then(&store, &retention) => {}
                }
            };
            timeout(Duration::from_secs(20), both).await.unwrap();
        })
        .await;
    }
}
