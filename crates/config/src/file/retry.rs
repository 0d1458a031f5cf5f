//! The `retry` block of `defaults` and of a provider: how a failed model call is retried.
//!
//! Each key of a provider overrides the same key of `defaults`. The model layer decides which failures are
//! transient.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Period;

/// How a model call that failed for a transient reason is retried. A call is retried only while no part of its reply
/// has been received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetryConfig {
    /// Maximum number of attempts, including the first one. 1 disables retries. Default: 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100))]
    pub max_attempts: Option<u32>,
    /// Pause before the second attempt. It doubles with every further attempt, with random jitter. Default: 1s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_pause: Option<Period>,
    /// Longest pause between two attempts. A call is not retried if the provider requests a longer one. Default: 90s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pause: Option<Period>,
    /// Total time for a call with its retries: no attempt starts later than this after the first. Default: no limit
    /// other than `iteration_timeout`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_time: Option<Period>,
    /// Number of consecutive attempts, of all sessions of this process, that find the provider down: no connection, a
    /// timeout or a server error. After that, the provider is not called until `breaker_pause` has passed; calls fail
    /// at once or use a fallback provider. 0 disables this. Default: 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1000))]
    pub breaker_failures: Option<u32>,
    /// Time until a provider that is down is called again, with a single call. It doubles with every failure, up to 2m.
    /// Default: 30s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaker_pause: Option<Period>,
}

/// The retry settings of one provider, with defaults applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResolvedRetry {
    /// Maximum number of attempts, including the first one; at least 1.
    pub max_attempts: u32,
    /// Pause before the second attempt.
    pub initial_pause: Duration,
    /// Longest pause between two attempts.
    pub max_pause: Duration,
    /// Time after the first attempt in which further attempts may start; `None` for no limit.
    pub total_time: Option<Duration>,
    /// Number of consecutive failures after which the provider is not called; 0 for no limit.
    pub breaker_failures: u32,
    /// Time until a provider that is down is called again.
    pub breaker_pause: Duration,
}

impl RetryConfig {
    /// Returns these settings, with those of `lower` for keys that are not set.
    #[must_use]
    pub fn or(self, lower: Self) -> Self {
        Self {
            max_attempts: self.max_attempts.or(lower.max_attempts),
            initial_pause: self.initial_pause.or(lower.initial_pause),
            max_pause: self.max_pause.or(lower.max_pause),
            total_time: self.total_time.or(lower.total_time),
            breaker_failures: self.breaker_failures.or(lower.breaker_failures),
            breaker_pause: self.breaker_pause.or(lower.breaker_pause),
        }
    }

    /// Returns these settings with the built-in defaults for keys that are not set.
    pub fn resolve(self) -> ResolvedRetry {
        ResolvedRetry {
            max_attempts: self.max_attempts.unwrap_or(4),
            initial_pause: self.initial_pause.map_or(Duration::from_secs(1), Period::duration),
            max_pause: self.max_pause.map_or(Duration::from_secs(90), Period::duration),
            total_time: self.total_time.map(Period::duration),
            breaker_failures: self.breaker_failures.unwrap_or(5),
            breaker_pause: self.breaker_pause.map_or(Duration::from_secs(30), Period::duration),
        }
    }
}
