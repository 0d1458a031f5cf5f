//! A moment in time as everything stored and sent has it: integer microseconds since the Unix epoch.
//!
//! It is arithmetic only. Formatting for people happens where people look; `now` is the one place that reads
//! the clock, and code that must be repeatable is handed a timestamp instead of calling it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Microseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = i64))]
pub struct Timestamp(i64);

impl Timestamp {
    /// The moment that is `micros` microseconds after the epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// This moment in the system's clock.
    #[cfg(feature = "edge")]
    pub fn now() -> Self {
        let epoch = std::time::SystemTime::UNIX_EPOCH;
        Self(saturating_micros(epoch.elapsed().unwrap_or_default()))
    }

    /// Microseconds since the epoch.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// The moment `duration` later.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(saturating_micros(duration)))
    }

    /// The moment `duration` earlier.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(saturating_micros(duration)))
    }
}

fn saturating_micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}
