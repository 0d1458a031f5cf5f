//! Requests to stop work, with their cause, and futures that race against them.

pub(crate) mod halt;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tarsy_domain::WorkStatus;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Why work stops. It is part of the request to stop and is recorded, so that it never has to be derived from
/// an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopCause {
    /// A person requested it.
    Cancelled,
    /// The session exceeded its time limit.
    SessionTimeout,
    /// The stage exceeded its time limit.
    StageTimeout,
    /// This process shuts down; another one resumes the work.
    Parked,
    /// Another worker claimed the session.
    LeaseLost,
}

impl StopCause {
    /// Returns the status of the stopped work, or `None` if another process resumes it.
    pub(crate) fn ending(self) -> Option<WorkStatus> {
        match self {
            Self::Cancelled => Some(WorkStatus::Cancelled),
            Self::SessionTimeout | Self::StageTimeout => Some(WorkStatus::TimedOut),
            Self::Parked | Self::LeaseLost => None,
        }
    }

    /// Returns the text for people. It also becomes the error message of executions and stages.
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

/// A request to stop that may arrive at any time. Cheap to clone; clones share one state.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop {
    token: CancellationToken,
    cause: Arc<OnceLock<StopCause>>,
    parent: Option<Arc<Stop>>,
    /// End of the lease. A process that was suspended would continue before it notices that its leases
    /// expired, so the time is checked before every action.
    lease_end: Arc<Mutex<Option<Instant>>>,
    /// When the work has to be done.
    deadline: Arc<OnceLock<Instant>>,
    /// Cancelled when the process shuts down, even if the work was stopped for another cause before.
    shutdown: CancellationToken,
}

impl Stop {
    /// Creates a request for a part of the work. It stops with its parent, but does not stop its parent.
    pub(crate) fn child(&self) -> Self {
        Self {
            token: self.token.child_token(),
            cause: Arc::default(),
            parent: Some(Arc::new(self.clone())),
            lease_end: Arc::clone(&self.lease_end),
            deadline: Arc::default(),
            shutdown: self.shutdown.child_token(),
        }
    }

    /// Stops the work. Later causes are ignored.
    pub(crate) fn stop(&self, cause: StopCause) {
        self.cause.get_or_init(|| cause);
        self.token.cancel();
        if cause == StopCause::Parked {
            self.shutdown.cancel();
        }
    }

    /// Returns the token that is cancelled when this process shuts down.
    pub(crate) fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// Sets the end of the lease.
    pub(crate) fn set_lease_end(&self, end: Instant) {
        *self.lease_end.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
    }

    /// Sets when the work has to be done. Later calls are ignored.
    pub(crate) fn set_time_left(&self, left: Duration) {
        if let Some(deadline) = Instant::now().checked_add(left) {
            self.deadline.get_or_init(|| deadline);
        }
    }

    /// Returns the time until this part of the work or the whole of it has to be done, if that is limited.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        let own = self.deadline.get().map(|end| end.saturating_duration_since(Instant::now()));
        let of_parent = self.parent.as_ref().and_then(|parent| parent.time_left());
        own.into_iter().chain(of_parent).min()
    }

    /// Stops the work if its lease has expired: another worker may have claimed the session.
    pub(crate) fn stop_if_lease_expired(&self) {
        if self.lease_expired() {
            self.stop(StopCause::LeaseLost);
        }
    }

    /// Returns whether the lease has expired.
    pub(crate) fn lease_expired(&self) -> bool {
        let end = *self.lease_end.lock().unwrap_or_else(PoisonError::into_inner);
        end.is_some_and(|end| Instant::now() > end)
    }

    /// Returns the cause if the work was stopped.
    pub(crate) fn cause(&self) -> Option<StopCause> {
        let parent = || self.parent.as_ref().and_then(|parent| parent.cause());
        self.cause.get().copied().or_else(parent)
    }

    /// Waits for a request to stop.
    pub(crate) async fn requested(&self) -> StopCause {
        self.token.cancelled().await;
        // The cause is always set before the token is cancelled.
        self.cause().unwrap_or(StopCause::LeaseLost)
    }

    /// Awaits `work` unless a request to stop arrives first.
    pub(crate) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T, StopCause> {
        self.stop_if_lease_expired();
        tokio::select! {
            biased;
            cause = self.requested() => Err(cause),
            done = work => Ok(done),
        }
    }

    /// Returns the token for functions that take one.
    pub(crate) fn token(&self) -> &CancellationToken {
        &self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_nearer_deadline_decides_about_the_time_left() {
        let (session, minute) = (Stop::default(), Duration::from_secs(60));
        assert_eq!(session.child().time_left(), None);
        session.set_time_left(20 * minute);
        let (stage, other) = (session.child(), session.child());
        stage.set_time_left(5 * minute);
        tokio::time::advance(minute).await;
        assert_eq!((stage.time_left(), other.time_left()), (Some(4 * minute), Some(19 * minute)));
        tokio::time::advance(30 * minute).await;
        assert_eq!(stage.time_left(), Some(Duration::ZERO));
    }

    #[tokio::test]
    async fn a_child_stops_with_its_parent_but_not_the_reverse() {
        let parent = Stop::default();
        let (one, other) = (parent.child(), parent.child());
        one.stop(StopCause::StageTimeout);
        assert_eq!(one.requested().await, StopCause::StageTimeout);
        assert_eq!((parent.cause(), other.cause()), (None, None));
        parent.stop(StopCause::Cancelled);
        parent.stop(StopCause::SessionTimeout);
        assert_eq!(other.requested().await, StopCause::Cancelled);
        assert_eq!(one.cause(), Some(StopCause::StageTimeout));
    }

    #[test]
    fn signals_shutdown_even_after_another_cause() {
        let parent = Stop::default();
        parent.child().stop(StopCause::Parked);
        parent.stop(StopCause::Cancelled);
        assert!(!parent.shutdown().is_cancelled());
        parent.stop(StopCause::Parked);
        assert_eq!(parent.cause(), Some(StopCause::Cancelled));
        assert!(parent.shutdown().is_cancelled());
    }

    #[tokio::test]
    async fn does_not_start_work_after_the_lease_expired() {
        let (parent, second) = (Stop::default(), Duration::from_secs(1));
        let child = parent.child();
        parent.set_lease_end(Instant::now() + second);
        assert_eq!(child.unless_stopped(async { "done" }).await, Ok("done"));
        parent.set_lease_end(Instant::now() - second);
        assert_eq!(child.unless_stopped(async { "done" }).await, Err(StopCause::LeaseLost));
    }
}
