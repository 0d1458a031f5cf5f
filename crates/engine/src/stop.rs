//! Why work stops before its end, and waiting for whatever comes first.

pub(crate) mod halt;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tarsy_domain::WorkStatus;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Why work stops. It is recorded, so that nobody has to guess later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopCause {
    /// Somebody asked for it.
    Cancelled,
    /// The session has used up its time.
    SessionTimeout,
    /// The stage has used up its time.
    StageTimeout,
    /// This process is going away; another one goes on.
    Parked,
    /// Another worker has taken the session over.
    LeaseLost,
}

impl StopCause {
    /// How the work ends that is stopped; nothing if somebody else goes on with it.
    pub(crate) fn ending(self) -> Option<WorkStatus> {
        match self {
            Self::Cancelled => Some(WorkStatus::Cancelled),
            Self::SessionTimeout | Self::StageTimeout => Some(WorkStatus::TimedOut),
            Self::Parked | Self::LeaseLost => None,
        }
    }

    /// What people read about it.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled on request",
            Self::SessionTimeout => "the session ran out of time",
            Self::StageTimeout => "the stage ran out of time",
            Self::Parked => "the process was stopped",
            Self::LeaseLost => "another worker took over",
        }
    }
}

/// A request to stop that may come at any time. Cheap to clone; clones stop together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop {
    token: CancellationToken,
    cause: Arc<OnceLock<StopCause>>,
    outer: Option<Arc<Stop>>,
    /// When the lease ends. A process that was paused acts on what it knows before it hears that it lost its sessions,
    /// so whoever is about to act looks at the clock.
    held_until: Arc<Mutex<Option<Instant>>>,
    /// Cancelled when the process goes away, whatever the work was stopped for before.
    leaving: CancellationToken,
}

impl Stop {
    /// One for a part of the work: it stops with the whole, and by itself.
    pub(crate) fn inner(&self) -> Self {
        Self {
            token: self.token.child_token(),
            cause: Arc::default(),
            outer: Some(Arc::new(self.clone())),
            held_until: Arc::clone(&self.held_until),
            leaving: self.leaving.child_token(),
        }
    }

    /// Stops the work. The first cause counts.
    pub(crate) fn stop(&self, cause: StopCause) {
        self.cause.get_or_init(|| cause);
        self.token.cancel();
        if cause == StopCause::Parked {
            self.leaving.cancel();
        }
    }

    /// Cancelled when this process goes away.
    pub(crate) fn leaving(&self) -> &CancellationToken {
        &self.leaving
    }

    /// Says until when the session is surely this process's.
    pub(crate) fn held_until(&self, end: Instant) {
        *self.held_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
    }

    /// Stops the work if its lease has run out; somebody else may be at it.
    pub(crate) fn look_at_the_clock(&self) {
        if self.is_overdue() {
            self.stop(StopCause::LeaseLost);
        }
    }

    /// Whether the lease has run out.
    pub(crate) fn is_overdue(&self) -> bool {
        let end = *self.held_until.lock().unwrap_or_else(PoisonError::into_inner);
        end.is_some_and(|end| Instant::now() > end)
    }

    /// Why it was stopped, if it was.
    pub(crate) fn cause(&self) -> Option<StopCause> {
        let outer = || self.outer.as_ref().and_then(|outer| outer.cause());
        self.cause.get().copied().or_else(outer)
    }

    /// Waits for a request to stop.
    pub(crate) async fn requested(&self) -> StopCause {
        self.token.cancelled().await;
        // A token is only ever cancelled after its cause was set.
        self.cause().unwrap_or(StopCause::LeaseLost)
    }

    /// Waits for something, unless a request to stop comes first.
    pub(crate) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T, StopCause> {
        self.look_at_the_clock();
        tokio::select! {
            biased;
            cause = self.requested() => Err(cause),
            done = work => Ok(done),
        }
    }

    /// For what takes a token of its own.
    pub(crate) fn token(&self) -> &CancellationToken {
        &self.token
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_part_stops_with_the_whole_and_not_the_other_way_round() {
        let whole = Stop::default();
        let (one, other) = (whole.inner(), whole.inner());
        one.stop(StopCause::StageTimeout);
        assert_eq!(one.requested().await, StopCause::StageTimeout);
        assert_eq!((whole.cause(), other.cause()), (None, None));
        whole.stop(StopCause::Cancelled);
        whole.stop(StopCause::SessionTimeout);
        assert_eq!(other.requested().await, StopCause::Cancelled);
        assert_eq!(one.cause(), Some(StopCause::StageTimeout));
    }

    #[test]
    fn a_process_goes_away_whatever_its_work_was_stopped_for() {
        let whole = Stop::default();
        whole.inner().stop(StopCause::Parked);
        whole.stop(StopCause::Cancelled);
        assert!(!whole.leaving().is_cancelled());
        whole.stop(StopCause::Parked);
        assert_eq!(whole.cause(), Some(StopCause::Cancelled));
        assert!(whole.leaving().is_cancelled());
    }

    #[tokio::test]
    async fn nobody_acts_after_the_lease() {
        let (whole, second) = (Stop::default(), Duration::from_secs(1));
        let part = whole.inner();
        whole.held_until(Instant::now() + second);
        assert_eq!(part.unless_stopped(async { "done" }).await, Ok("done"));
        whole.held_until(Instant::now() - second);
        assert_eq!(part.unless_stopped(async { "done" }).await, Err(StopCause::LeaseLost));
    }
}
