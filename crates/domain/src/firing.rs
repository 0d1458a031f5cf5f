//! Firings of alerts: whether a notification is about one that is known, or about an earlier or a later one.
//!
//! Senders repeat themselves, several of them speak of the same alert, and messages overtake each other. Only the
//! senders' own times are compared, because our clock is not theirs.

use std::time::Duration;

use crate::{SessionId, Timestamp};

/// Two that watch the same thing see it begin at different moments, but not further apart than this. An alert that
/// comes back so soon after its beginning, with nobody having told of its end, has not really been away.
const SPREAD: Duration = Duration::from_secs(5 * 60);

/// What a notification says about one alert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firing {
    /// The sender's name for the alert; the same whenever it fires.
    pub fingerprint: String,
    /// When it began to fire.
    pub began_at: Timestamp,
    /// When it ended; None while it fires.
    pub ended_at: Option<Timestamp>,
}

/// A firing that a session looks into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownFiring {
    /// The session.
    pub session_id: SessionId,
    /// When it began to fire, as it was told first.
    pub began_at: Timestamp,
    /// When it ended, if that was told.
    pub ended_at: Option<Timestamp>,
}

/// Which firing of an alert a notification is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichFiring {
    /// One before the known one: old news.
    Earlier,
    /// The known one.
    Same,
    /// The alert fires again.
    Later,
}

impl KnownFiring {
    /// Which firing of this alert is told of.
    pub fn which(&self, told: &Firing) -> WhichFiring {
        if told.ended_at.is_some_and(|ended_at| ended_at < self.began_at) {
            return WhichFiring::Earlier;
        }
        let latest_beginning = self.ended_at.unwrap_or_else(|| self.began_at.after(SPREAD));
        if told.began_at > latest_beginning { WhichFiring::Later } else { WhichFiring::Same }
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
    fn a_firing_is_told_from_those_around_it() {
        use WhichFiring::{Earlier, Later, Same};
        // Known: from when, until when. Told: from when, until when.
        let cases = [
            ((100, None), (100, None), Same),
            ((100, None), (100, Some(110)), Same),
            // The other of a pair saw it sooner, or a little later.
            ((100, None), (99, None), Same),
            ((100, None), (102, None), Same),
            // Nobody told of the end, but it began anew.
            ((100, None), (106, None), Later),
            ((100, None), (160, Some(170)), Later),
            // The end of the one before comes late.
            ((100, None), (50, Some(90)), Earlier),
            // A message about the firing overtook that about its end.
            ((100, Some(110)), (100, None), Same),
            ((100, Some(110)), (109, None), Same),
            ((100, Some(110)), (100, Some(110)), Same),
            // It fires again right after its end.
            ((100, Some(110)), (111, None), Later),
            ((100, Some(110)), (111, Some(112)), Later),
        ];
        for ((began, ended), (told_began, told_ended), expected) in cases {
            let session_id = SessionId::from(uuid::Uuid::nil());
            let known = KnownFiring { session_id, began_at: at(began), ended_at: ended.map(at) };
            let fingerprint = "f".to_owned();
            let told = Firing { fingerprint, began_at: at(told_began), ended_at: told_ended.map(at) };
            assert_eq!(known.which(&told), expected, "{known:?} {told:?}");
        }
    }
}
