//! The runbooks that were fetched a moment ago: an alarm that hits many pods asks for the same one many times.
//!
//! Who asks while one is being fetched waits for that one. What could not be had is not kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::address::Address;
use super::fault::Fault;

/// How many are kept at most; with the largest runbook there can be, that is as many megabytes.
const MOST: usize = 32;

/// Runbooks by their addresses.
pub(super) struct Recent {
    kept_for: Duration,
    /// The lock is never held across an await.
    entries: Mutex<HashMap<Address, Arc<Entry>>>,
}

struct Entry {
    begun: Instant,
    /// Empty while it is being fetched. If whoever fetches it goes away, the next of those who wait takes over.
    fetched: OnceCell<Fetched>,
}

struct Fetched {
    at: Instant,
    outcome: Result<Arc<str>, Fault>,
}

impl Recent {
    /// Keeps what was fetched for so long.
    pub(super) fn new(kept_for: Duration) -> Self {
        Self { kept_for, entries: Mutex::default() }
    }

    /// What is at an address; `fetch` is awaited only if nobody knows and nobody else is finding out.
    pub(super) async fn get(
        &self,
        address: &Address,
        fetch: impl Future<Output = Result<String, Fault>>,
    ) -> Result<Arc<str>, Fault> {
        let entry = self.entry(address);
        let fetched = entry.fetched.get_or_init(|| async {
            let outcome = fetch.await.map(Arc::from);
            Fetched { at: Instant::now(), outcome }
        });
        fetched.await.outcome.clone()
    }

    fn entry(&self, address: &Address) -> Arc<Entry> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|_, entry| entry.is_good(self.kept_for));
        if let Some(entry) = entries.get(address) {
            return Arc::clone(entry);
        }
        if entries.len() >= MOST {
            forget_oldest(&mut entries);
        }
        let entry = Arc::new(Entry { begun: Instant::now(), fetched: OnceCell::new() });
        entries.insert(address.clone(), Arc::clone(&entry));
        entry
    }
}

impl Entry {
    /// Whether it is being fetched, or was fetched a moment ago.
    fn is_good(&self, kept_for: Duration) -> bool {
        match self.fetched.get() {
            Some(fetched) => fetched.outcome.is_ok() && fetched.at.elapsed() < kept_for,
            None => true,
        }
    }
}

fn forget_oldest(entries: &mut HashMap<Address, Arc<Entry>>) {
    let oldest = entries.iter().min_by_key(|(_, entry)| entry.begun).map(|(address, _)| address.clone());
    if let Some(oldest) = oldest {
        entries.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use futures_util::FutureExt;
    use url::Url;

    use super::super::address::AllowedHosts;
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn address(path: usize) -> Address {
        let hosts = AllowedHosts::new(&["h".to_owned()]).unwrap();
        hosts.admit(&Url::parse(&format!("https://h/{path}")).unwrap()).unwrap()
    }

    async fn gets(recent: &Recent, path: usize, text: &str) -> String {
        recent.get(&address(path), async { Ok(text.to_owned()) }).await.unwrap().to_string()
    }

    #[tokio::test]
    async fn what_was_fetched_is_kept_for_a_while() {
        let recent = Recent::new(HOUR);
        assert_eq!(gets(&recent, 1, "old").await, "old");
        assert_eq!(gets(&recent, 1, "new").await, "old");
        let forgetful = Recent::new(Duration::ZERO);
        assert_eq!(gets(&forgetful, 1, "old").await, "old");
        assert_eq!(gets(&forgetful, 1, "new").await, "new");
    }

    #[tokio::test]
    async fn what_could_not_be_had_is_asked_for_again() {
        let recent = Recent::new(HOUR);
        let failed = recent.get(&address(1), async { Err(Fault::Empty) }).await;
        assert_eq!(failed, Err(Fault::Empty));
        assert_eq!(gets(&recent, 1, "new").await, "new");
    }

    #[tokio::test]
    async fn who_waits_takes_over_from_one_who_went_away() {
        let recent = Recent::new(Duration::ZERO);
        let address = address(1);
        let mut first = Box::pin(recent.get(&address, pending()));
        assert!(first.as_mut().now_or_never().is_none());
        let mut second = Box::pin(recent.get(&address, async { Ok("second".to_owned()) }));
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        assert_eq!(second.await.unwrap().as_ref(), "second");
    }

    #[tokio::test]
    async fn the_oldest_is_forgotten_when_there_are_too_many() {
        let recent = Recent::new(HOUR);
        for path in 0..=MOST {
            gets(&recent, path, "old").await;
        }
        assert_eq!(recent.entries.lock().unwrap().len(), MOST);
        assert_eq!(gets(&recent, MOST, "new").await, "old");
        assert_eq!(gets(&recent, 0, "new").await, "new");
    }
}
