//! Rate limits per caller.
//!
//! Each caller has its own token bucket, so that one caller cannot starve the others. Without authentication
//! there is no limit: the only caller is a user of this machine.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use quick_cache::sync::Cache;

use crate::ApiError;

/// Sustained requests per second.
const RATE: NonZeroU32 = positive(50);
/// Requests in a burst.
const BURST: NonZeroU32 = positive(200);
/// Number of cached buckets; an evicted caller starts with a full one.
const CACHED_BUCKETS: usize = 10_000;

/// The caller that requests are counted for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum RateLimitKey {
    /// An authenticated caller.
    Name(String),
    /// An unauthenticated caller, by address.
    Anonymous(Option<IpAddr>),
}

/// The buckets of all callers.
pub(super) struct RateLimits {
    buckets: Cache<RateLimitKey, Arc<DefaultDirectRateLimiter>>,
    clock: DefaultClock,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self { buckets: Cache::new(CACHED_BUCKETS), clock: DefaultClock::default() }
    }
}

impl RateLimits {
    /// Counts a request. Fails if the caller exceeds its limit.
    pub(super) fn check(&self, key: &RateLimitKey) -> Result<(), ApiError> {
        let bucket = self.bucket(key);
        bucket.check().map_err(|not_until| {
            let wait = not_until.wait_time_from(self.clock.now());
            let problem = format!("rate limit of {RATE} requests per second exceeded");
            ApiError::TooMany { problem, retry_after_s: whole_seconds(wait) }
        })
    }

    fn bucket(&self, key: &RateLimitKey) -> Arc<DefaultDirectRateLimiter> {
        if let Some(bucket) = self.buckets.get(key) {
            return bucket;
        }
        let bucket = Arc::new(RateLimiter::direct(Quota::per_second(RATE).allow_burst(BURST)));
        // Two concurrent first requests may count in different buckets, one of which is dropped. That is
        // harmless.
        self.buckets.insert(key.clone(), Arc::clone(&bucket));
        bucket
    }
}

const fn positive(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(number) => number,
        None => NonZeroU32::MIN,
    }
}

/// Rounds up to whole seconds.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_one_caller_and_not_the_others() {
        let limits = RateLimits::default();
        let (busy, other) = (RateLimitKey::Name("busy".to_owned()), RateLimitKey::Name("other".to_owned()));
        let rejected = (0..10_000).find_map(|_| limits.check(&busy).err());
        let message = rejected.map(|error| error.to_string());
        assert_eq!(message.as_deref(), Some("rate limit of 50 requests per second exceeded; retry in 1 s"));
        assert!(limits.check(&other).is_ok());
        assert!(limits.check(&RateLimitKey::Anonymous(None)).is_ok());
    }
}
