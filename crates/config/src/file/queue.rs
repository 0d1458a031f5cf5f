//! The `queue` section: how pending sessions become running ones.
//!
//! It does not say what a session does; chains do.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::no_effect::NoEffect;
use crate::Period;

/// How many investigations run at once, how long they may take, and how workers share them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QueueConfig {
    /// Workers in this process. Each one runs one session at a time.
    #[schemars(range(min = 1, max = 10_000))]
    pub worker_count: u32,
    /// Sessions that may run at once, over all processes that share the database.
    #[schemars(range(min = 1))]
    pub max_concurrent_sessions: u32,
    /// Sessions that may wait. An alert beyond that is refused, so that a flood is seen and not hoarded.
    #[schemars(range(min = 1))]
    pub max_queue_size: u32,
    /// How often a worker looks for work that nobody told it about.
    pub poll_interval: Period,
    /// Random addition to `poll_interval`, so that workers do not look all at once.
    #[schemars(extend("x-may-be-zero" = true))]
    pub poll_interval_jitter: Period,
    /// How long a whole session may take.
    pub session_timeout: Period,
    /// How long a stopping process lets its sessions finish.
    #[schemars(extend("x-may-be-zero" = true))]
    pub graceful_shutdown_timeout: Period,
    /// How long a claim on a session lasts without a heartbeat. After it, another worker takes the session
    /// over. Without it: three heartbeats, and at least 15 seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alias" = ["orphan_threshold"]))]
    pub lease_duration: Option<Period>,
    /// How often a worker renews its claim. Must be shorter than `lease_duration`.
    pub heartbeat_interval: Period,
    /// How often sessions whose lease ran out are looked for.
    pub orphan_detection_interval: Period,
    /// How long a stopping process lets the scoring of sessions finish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scoring_shutdown_timeout: Option<NoEffect>,
}

impl QueueConfig {
    /// How long a claim lasts without a heartbeat.
    ///
    /// Three heartbeats by default, so that one lost renewal does not cost a worker its session.
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
