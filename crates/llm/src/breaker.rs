//! A circuit breaker: a provider that is down is not called for a while.
//!
//! ```text
//!  closed ── failures in a row ──▶ open ── pause is over ──▶ half-open: one probe
//!    ▲                              ▲                          │           │
//!    └──────────── reply ───────────┼──────────────────────────┘           │
//!                                   └───── failure: the pause doubles ─────┘
//! ```
//!
//! One breaker is shared by all calls of a provider. `model` decides which failures count. Calls are not queued
//! and not retried here.

mod model;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tarsy_domain::ModelFailureKind;
use tokio::time::Instant;
use tracing::{info, warn};

pub use model::BreakerModel;

use crate::ModelError;

/// When a breaker opens, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// Number of failed attempts in a row after which the provider is not called; 0 for no limit.
    pub failures: u32,
    /// Time until the first probe. It doubles with every failed probe.
    pub pause: Duration,
    /// Maximum time between two probes.
    pub max_pause: Duration,
}

impl Default for BreakerPolicy {
    fn default() -> Self {
        Self { failures: 5, pause: Duration::from_secs(30), max_pause: Duration::from_secs(2 * 60) }
    }
}

/// The breaker of one provider.
#[derive(Debug)]
pub struct CircuitBreaker {
    provider: String,
    policy: BreakerPolicy,
    state: Mutex<BreakerState>,
}

#[derive(Debug, Default)]
struct BreakerState {
    /// Number of failures since the last response.
    failures: u32,
    last_error: String,
    /// Set while the breaker is open or half-open.
    opening: Option<OpenPeriod>,
}

#[derive(Debug, Clone, Copy)]
struct OpenPeriod {
    probe_at: Instant,
    pause: Duration,
    is_probing: bool,
}

impl CircuitBreaker {
    /// Creates a closed breaker.
    pub fn new(provider: impl Into<String>, policy: BreakerPolicy) -> Self {
        Self { provider: provider.into(), policy, state: Mutex::default() }
    }

    /// Admits a call, or returns the error for a call that is not made.
    fn admit(self: &Arc<Self>) -> Result<CallPermit, ModelError> {
        let mut state = self.lock();
        let Some(opening) = &mut state.opening else {
            return Ok(CallPermit { breaker: Arc::clone(self), is_probe: false });
        };
        let now = Instant::now();
        if now >= opening.probe_at && !opening.is_probing {
            opening.is_probing = true;
            return Ok(CallPermit { breaker: Arc::clone(self), is_probe: true });
        }
        let wait = if opening.is_probing {
            // A slow model may need minutes for the probe: the longer it takes, the longer others wait, so
            // that they do not use up their attempts meanwhile.
            opening.pause.max(now.saturating_duration_since(opening.probe_at))
        } else {
            opening.probe_at - now
        };
        let message = format!(
            "provider `{}` failed {} times in a row and is not called for {} s; the last error: {}",
            self.provider,
            state.failures,
            wait.as_secs_f64().ceil(),
            state.last_error
        );
        let error = ModelError::new(ModelFailureKind::Overloaded, message);
        // A retry within the call could not succeed either.
        Err(error.retry_after(Some(wait)).exhausted(true))
    }

    /// Closes the breaker: the provider responded.
    fn succeeded(&self) {
        let mut state = self.lock();
        if state.opening.is_some() {
            info!(llm.provider = self.provider, "provider responds again");
        }
        *state = BreakerState::default();
    }

    /// Counts a call that a time limit ended before the provider responded. Such a call is dropped like a
    /// cancelled one, so its permit does not know that it failed.
    pub(crate) fn timed_out(&self, error: &ModelError) {
        self.failed(error, false);
    }

    /// Counts a failure. Returns the time until the next probe if the breaker is open.
    fn failed(&self, error: &ModelError, is_probe: bool) -> Option<Duration> {
        let mut state = self.lock();
        state.failures = state.failures.saturating_add(1);
        state.last_error.clone_from(&error.failure.message);
        let now = Instant::now();
        let pause = match state.opening {
            // The provider was down when an earlier call started, which is known already. After the pause,
            // it is news.
            Some(opening) if !is_probe && (opening.is_probing || now < opening.probe_at) => {
                return Some(opening.probe_at.saturating_duration_since(now));
            }
            Some(opening) => opening.pause.saturating_mul(2).min(self.policy.max_pause),
            None if self.policy.failures == 0 || state.failures < self.policy.failures => return None,
            None => self.policy.pause,
        };
        state.opening = Some(OpenPeriod { probe_at: now + pause, pause, is_probing: false });
        warn!(
            llm.provider = self.provider,
            failures = state.failures,
            wait_ms = pause.as_millis(),
            "provider is down: {error}"
        );
        Some(pause)
    }

    /// Ends a probe whose outcome is unknown; the next call is the probe.
    fn abandon_probe(&self) {
        if let Some(opening) = &mut self.lock().opening {
            opening.is_probing = false;
        }
    }

    fn lock(&self) -> MutexGuard<'_, BreakerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permission for one call. A probe that is dropped without an outcome is repeated.
struct CallPermit {
    breaker: Arc<CircuitBreaker>,
    is_probe: bool,
}

impl CallPermit {
    fn succeeded(mut self) {
        self.is_probe = false;
        self.breaker.succeeded();
    }

    fn failed(mut self, error: &ModelError) -> Option<Duration> {
        let is_probe = std::mem::take(&mut self.is_probe);
        self.breaker.failed(error, is_probe)
    }
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        if self.is_probe {
            self.breaker.abandon_probe();
        }
    }
}
