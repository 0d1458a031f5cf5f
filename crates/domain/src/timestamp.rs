//! Timestamps as they are stored and sent: integer microseconds since the Unix epoch.
//!
//! Formatting is left to the user interfaces. [`Timestamp::now`] is the only function that reads the clock;
//! code that must be deterministic takes a timestamp as a parameter instead.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Microseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = i64))]
pub struct Timestamp(i64);

impl Timestamp {
    /// Creates a timestamp from microseconds since the epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Reads the system clock.
    #[cfg(feature = "edge")]
    pub fn now() -> Self {
        let epoch = std::time::SystemTime::UNIX_EPOCH;
        Self(saturating_micros(epoch.elapsed().unwrap_or_default()))
    }

    /// Returns the microseconds since the epoch.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Returns the timestamp `duration` later, saturating.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(saturating_micros(duration)))
    }

    /// Returns the timestamp `duration` earlier, saturating.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(saturating_micros(duration)))
    }
}

fn saturating_micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}
