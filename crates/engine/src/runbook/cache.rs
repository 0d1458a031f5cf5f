//! A cache of fetched runbooks, for alerts that hit many pods and refer to the same runbook.
//!
//! Concurrent requests for one address share a single fetch, including its failure. Failures are not cached.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use tokio::time::Instant;

use super::address::Address;
use super::fault::RunbookFault;

/// Maximum number of entries. A runbook has at most one megabyte, so this is also the limit in megabytes.
const CAPACITY: usize = 32;

/// Fetched runbooks by address.
pub(super) struct RunbookCache {
    ttl: Duration,
    entries: Cache<Address, FetchedRunbook>,
}

#[derive(Clone)]
struct FetchedRunbook {
    at: Instant,
    outcome: Result<Arc<str>, RunbookFault>,
}

impl RunbookCache {
    /// Creates an empty cache whose entries expire after `ttl`.
    pub(super) fn new(ttl: Duration) -> Self {
        Self { ttl, entries: Cache::new(CAPACITY) }
    }

    /// Returns the runbook at `address`. Awaits `fetch` unless the runbook is cached or being fetched by
    /// another caller; if that caller is dropped, this one takes over.
    pub(super) async fn get(
        &self,
        address: &Address,
        fetch: impl Future<Output = Result<String, RunbookFault>>,
    ) -> Result<Arc<str>, RunbookFault> {
        // A failure in the cache was already returned to the callers that waited for it.
        self.entries
            .remove_if(address, |fetched| fetched.outcome.is_err() || fetched.at.elapsed() >= self.ttl);
        let fetched = self.entries.get_or_insert_async(address, async {
            let outcome = fetch.await.map(Arc::from);
            Ok::<_, Infallible>(FetchedRunbook { at: Instant::now(), outcome })
        });
        let Ok(fetched) = fetched.await;
        fetched.outcome
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use futures_util::FutureExt;
    use tokio::sync::oneshot;
    use url::Url;

    use super::super::address::AllowedHosts;
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn address(path: usize) -> Address {
        let hosts = AllowedHosts::new(&["h".to_owned()]).unwrap();
        hosts.admit(&Url::parse(&format!("https://h/{path}")).unwrap()).unwrap()
    }

    async fn get(cache: &RunbookCache, path: usize, text: &str) -> String {
        cache.get(&address(path), async { Ok(text.to_owned()) }).await.unwrap().to_string()
    }

    #[tokio::test]
    async fn an_entry_expires_after_its_ttl() {
        let cache = RunbookCache::new(HOUR);
        assert_eq!(get(&cache, 1, "old").await, "old");
        assert_eq!(get(&cache, 1, "new").await, "old");
        let expired = RunbookCache::new(Duration::ZERO);
        assert_eq!(get(&expired, 1, "old").await, "old");
        assert_eq!(get(&expired, 1, "new").await, "new");
    }

    #[tokio::test]
    async fn a_failure_is_not_cached() {
        let cache = RunbookCache::new(HOUR);
        let failed = cache.get(&address(1), async { Err(RunbookFault::Empty) }).await;
        assert_eq!(failed, Err(RunbookFault::Empty));
        assert_eq!(get(&cache, 1, "new").await, "new");
    }

    #[tokio::test]
    async fn concurrent_requests_share_one_failed_fetch() {
        let cache = RunbookCache::new(HOUR);
        let address = address(1);
        let (fail, failed) = oneshot::channel::<()>();
        let first = cache.get(&address, async {
            drop(failed.await);
            Err(RunbookFault::Empty)
        });
        let second = cache.get(&address, pending());
        let release = async { drop(fail) };
        let (first, second, ()) = tokio::join!(first, second, release);
        assert_eq!((first, second), (Err(RunbookFault::Empty), Err(RunbookFault::Empty)));
    }

    #[tokio::test]
    async fn a_waiting_request_takes_over_from_a_dropped_one() {
        let cache = RunbookCache::new(Duration::ZERO);
        let address = address(1);
        let mut first = Box::pin(cache.get(&address, pending()));
        assert!(first.as_mut().now_or_never().is_none());
        let mut second = Box::pin(cache.get(&address, async { Ok("second".to_owned()) }));
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        assert_eq!(second.await.unwrap().as_ref(), "second");
    }

    #[tokio::test]
    async fn the_number_of_entries_is_limited() {
        let cache = RunbookCache::new(HOUR);
        for path in 0..10 * CAPACITY {
            get(&cache, path, "old").await;
        }
        assert!(cache.entries.len() <= CAPACITY);
    }
}
