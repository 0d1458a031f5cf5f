//! How often somebody may come.
//!
//! Each caller has a bucket of their own, so that one who asks without end does not keep the others waiting. Whoever is
//! not asked who they are is not counted: that is one person on their own machine.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use quick_cache::sync::Cache;

use crate::ApiError;

/// Requests a second that a caller may make for ever.
const RATE: NonZeroU32 = positive(50);
/// Requests that may come at once.
const BURST: NonZeroU32 = positive(200);
/// Callers that are remembered; one who is forgotten begins with a full bucket.
const REMEMBERED: usize = 10_000;

/// Who is counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Caller {
    /// Somebody who is known.
    Name(String),
    /// Somebody who is not, by where they come from.
    Stranger(Option<IpAddr>),
}

/// The buckets of all callers.
pub(super) struct RateLimits {
    buckets: Cache<Caller, Arc<DefaultDirectRateLimiter>>,
    clock: DefaultClock,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self { buckets: Cache::new(REMEMBERED), clock: DefaultClock::default() }
    }
}

impl RateLimits {
    /// Counts a request; an error if it is one too many.
    pub(super) fn check(&self, caller: &Caller) -> Result<(), ApiError> {
        let bucket = self.bucket(caller);
        bucket.check().map_err(|not_until| {
            let wait = not_until.wait_time_from(self.clock.now());
            let problem = format!("more than {RATE} requests a second came from you");
            ApiError::TooMany { problem, retry_after_s: whole_seconds(wait) }
        })
    }

    fn bucket(&self, caller: &Caller) -> Arc<DefaultDirectRateLimiter> {
        if let Some(bucket) = self.buckets.get(caller) {
            return bucket;
        }
        let bucket = Arc::new(RateLimiter::direct(Quota::per_second(RATE).allow_burst(BURST)));
        // Of two requests at the same moment one counts in a bucket that nobody keeps, which does no harm.
        self.buckets.insert(caller.clone(), Arc::clone(&bucket));
        bucket
    }
}

const fn positive(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(number) => number,
        None => NonZeroU32::MIN,
    }
}

/// No less than it takes.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_who_comes_too_often_does_not_keep_others_waiting() {
        let limits = RateLimits::default();
        let (busy, other) = (Caller::Name("busy".to_owned()), Caller::Name("other".to_owned()));
        let refused = (0..10_000).find_map(|_| limits.check(&busy).err());
        let told = refused.map(|refused| refused.to_string());
        assert_eq!(told.as_deref(), Some("more than 50 requests a second came from you; try again in 1 s"));
        assert!(limits.check(&other).is_ok());
        assert!(limits.check(&Caller::Stranger(None)).is_ok());
    }
}
