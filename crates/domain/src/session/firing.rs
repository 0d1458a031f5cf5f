//! Firings of alerts: decides whether a notification reports a known firing, an earlier or a later one.
//!
//! Senders repeat notifications, several senders report the same alert, and notifications arrive out of
//! order. Only the senders' timestamps are compared, because clocks may differ.

use std::time::Duration;

use crate::{SessionId, Timestamp};

/// Maximum difference between the start times that redundant senders report for one firing. An alert that
/// starts again within this time, without a reported end, counts as the same firing.
const SPREAD: Duration = Duration::from_secs(5 * 60);

/// A firing of one alert as reported by a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firing {
    /// The sender's identifier of the alert, the same for all its firings.
    pub fingerprint: String,
    /// Start time.
    pub began_at: Timestamp,
    /// End time; `None` while the alert fires.
    pub ended_at: Option<Timestamp>,
}

/// A firing that a session investigates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownFiring {
    /// The session.
    pub session_id: SessionId,
    /// Start time as first reported.
    pub began_at: Timestamp,
    /// End time, if reported.
    pub ended_at: Option<Timestamp>,
}

/// The reported firing relative to the known one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FiringOrder {
    /// An earlier firing; the notification is outdated.
    Earlier,
    /// The known firing.
    Same,
    /// A new firing of the same alert.
    Later,
}

impl KnownFiring {
    /// Compares a reported firing of the same alert with this one.
    pub fn compare(&self, reported: &Firing) -> FiringOrder {
        if reported.ended_at.is_some_and(|ended_at| ended_at < self.began_at) {
            return FiringOrder::Earlier;
        }
        let latest_beginning = self.ended_at.unwrap_or_else(|| self.began_at.after(SPREAD));
        if reported.began_at > latest_beginning { FiringOrder::Later } else { FiringOrder::Same }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000_000;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_micros(minute * MINUTE)
    }

    #[test]
    fn distinguishes_earlier_same_and_later_firings() {
        use FiringOrder::{Earlier, Later, Same};
        // (known start, known end), (reported start, reported end), expected.
        let cases = [
            ((100, None), (100, None), Same),
            ((100, None), (100, Some(110)), Same),
            // A redundant sender saw it start slightly earlier or later.
            ((100, None), (99, None), Same),
            ((100, None), (102, None), Same),
            // The end was never reported, but the alert started again.
            ((100, None), (106, None), Later),
            ((100, None), (160, Some(170)), Later),
            // The end of the previous firing is reported late.
            ((100, None), (50, Some(90)), Earlier),
            // Notifications about the firing and its end arrive out of order.
            ((100, Some(110)), (100, None), Same),
            ((100, Some(110)), (109, None), Same),
            ((100, Some(110)), (100, Some(110)), Same),
            // The alert fires again right after its end.
            ((100, Some(110)), (111, None), Later),
            ((100, Some(110)), (111, Some(112)), Later),
        ];
        for ((began, ended), (reported_began, reported_ended), expected) in cases {
            let session_id = SessionId::from(uuid::Uuid::nil());
            let known = KnownFiring { session_id, began_at: at(began), ended_at: ended.map(at) };
            let fingerprint = "f".to_owned();
            let reported =
                Firing { fingerprint, began_at: at(reported_began), ended_at: reported_ended.map(at) };
            assert_eq!(known.compare(&reported), expected, "{known:?} {reported:?}");
        }
    }
}
