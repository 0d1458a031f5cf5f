//! The `queue` section: how queued sessions are claimed and run.
//!
//! Chains define what a session does.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Period;

/// Concurrency, timeouts and leases of sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QueueConfig {
    /// Number of workers in this process. Each worker runs one session at a time.
    #[schemars(range(min = 1, max = 10_000))]
    pub worker_count: u32,
    /// Maximum number of running sessions across all processes that share the database.
    #[schemars(range(min = 1))]
    pub max_concurrent_sessions: u32,
    /// Maximum number of queued sessions. Further alerts are rejected, so that senders notice an alert flood.
    #[schemars(range(min = 1))]
    pub max_queue_size: u32,
    /// Interval at which workers poll for sessions, in addition to notifications.
    pub poll_interval: Period,
    /// Maximum random addition to `poll_interval`, so that processes do not poll simultaneously.
    #[schemars(extend("x-may-be-zero" = true))]
    pub poll_interval_jitter: Period,
    /// Timeout of a session.
    pub session_timeout: Period,
    /// Time that running sessions have to finish when the process shuts down.
    #[schemars(extend("x-may-be-zero" = true))]
    pub graceful_shutdown_timeout: Period,
    /// Lifetime of a worker's lease on a session without a heartbeat. After it expires, another worker resumes the
    /// session. Default: three times `heartbeat_interval`, at least 15s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alias" = ["orphan_threshold"]))]
    pub lease_duration: Option<Period>,
    /// Interval at which a worker renews its leases. Must be shorter than `lease_duration`.
    pub heartbeat_interval: Period,
    /// Interval of the search for sessions with an expired lease.
    pub orphan_detection_interval: Period,
    /// Time that the scoring of sessions has to finish when the process shuts down.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-no-effect" = true, "x-may-be-zero" = true))]
    pub scoring_shutdown_timeout: Option<Period>,
}

impl QueueConfig {
    /// Returns the lifetime of a lease without a heartbeat.
    ///
    /// The default is three heartbeats, so that one lost renewal does not cost a worker its session.
    pub fn lease(&self) -> Duration {
        let shortest = Duration::from_secs(15);
        self.lease_duration
            .map_or_else(|| shortest.max(3 * self.heartbeat_interval.duration()), Period::duration)
    }
}

impl Default for QueueConfig {
    fn default() -> Self {
        Self {
            worker_count: 5,
            max_concurrent_sessions: 5,
            max_queue_size: 1000,
            poll_interval: Period::from_secs(1),
            poll_interval_jitter: Period::from_millis(500),
            session_timeout: Period::from_secs(40 * 60),
            graceful_shutdown_timeout: Period::from_secs(40 * 60),
            lease_duration: None,
            heartbeat_interval: Period::from_secs(5),
            orphan_detection_interval: Period::from_secs(10),
            scoring_shutdown_timeout: None,
        }
    }
}
