//! The clock of an incident: turns recorded relative times into current times and ages.

use jiff::{SignedDuration, Timestamp, Unit};

use crate::offset::Offset;

/// After this time without a call, the next call restarts the incident.
const RESTART_AFTER: SignedDuration = SignedDuration::from_mins(20);

/// The time that relative times refer to, and the current time.
///
/// They differ: during an investigation the events of the incident keep their times and grow older.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IncidentClock {
    /// The time that relative times refer to.
    pub(crate) anchor: Timestamp,
    /// The current time.
    pub(crate) now: Timestamp,
}

impl IncidentClock {
    /// Starts an incident now.
    pub(crate) fn start(now: Timestamp) -> Self {
        Self { anchor: now, now }
    }

    /// Moves the current time forward. After [`RESTART_AFTER`] without a call the incident restarts.
    #[must_use]
    pub(crate) fn advance(self, now: Timestamp) -> Self {
        if now.duration_since(self.now) > RESTART_AFTER { Self::start(now) } else { Self { now, ..self } }
    }

    /// Returns the absolute time.
    pub(crate) fn time(self, offset: Offset) -> Timestamp {
        self.anchor.saturating_add(offset.0).unwrap_or(self.anchor)
    }

    /// Formats the time with milliseconds, as in logs.
    pub(crate) fn stamp(self, offset: Offset) -> String {
        let time = self.time(offset);
        format!("{:.3}", time.round(Unit::Millisecond).unwrap_or(time))
    }

    /// Formats the time with seconds.
    pub(crate) fn second(self, offset: Offset) -> String {
        let time = self.time(offset);
        time.round(Unit::Second).unwrap_or(time).to_string()
    }

    /// Formats the age as kubectl does.
    pub(crate) fn age(self, offset: Offset) -> String {
        let seconds = self.now.duration_since(self.time(offset)).as_secs().max(0);
        let (minutes, hours) = (seconds / 60, seconds / 3600);
        match seconds {
            0..120 => format!("{seconds}s"),
            120..600 => format!("{minutes}m{}s", seconds % 60),
            600..10_800 => format!("{minutes}m"),
            10_800..28_800 => format!("{hours}h{}m", minutes % 60),
            28_800..172_800 => format!("{hours}h"),
            _ => format!("{}d", hours / 24),
        }
    }

    /// Replaces `<t:-5m>` with a time and `<age:-5m>` with an age. Other text in angle brackets is kept.
    pub(crate) fn fill(self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, inside, after)) = next_placeholder(rest) {
            filled.push_str(before);
            match self.value_of(inside) {
                Some(value) => filled.push_str(&value),
                None => filled.extend(["<", inside, ">"]),
            }
            rest = after;
        }
        filled + rest
    }

    fn value_of(self, placeholder: &str) -> Option<String> {
        let (kind, offset) = placeholder.split_once(':')?;
        let offset = offset.parse().ok()?;
        match kind {
            "t" => Some(self.second(offset)),
            "age" => Some(self.age(offset)),
            _ => None,
        }
    }
}

/// Splits a text at its next pair of angle brackets: before, inside, after.
fn next_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let (_, rest) = text.split_once('<')?;
    let (inside, after) = rest.split_once('>')?;
    // In `a < b <t:-5m>` the last bracket opens the placeholder.
    let inside = inside.rsplit('<').next().unwrap_or(inside);
    let before = &text[..text.len() - after.len() - inside.len() - 2];
    Some((before, inside, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn events_keep_their_times_during_an_investigation() {
        let first = IncidentClock::start(at("2030-01-01T12:00:00Z"));
        let later = first.advance(at("2030-01-01T12:10:00Z"));
        assert_eq!(later.fill("at <t:-5m>, <age:-5m> ago"), "at 2030-01-01T11:55:00Z, 15m ago");
        assert_eq!(later.advance(at("2030-01-01T12:29:00Z")).anchor, first.anchor);
    }

    #[test]
    fn the_incident_restarts_after_a_long_pause() {
        let first = IncidentClock::start(at("2030-01-01T12:00:00Z"));
        let next_day = first.advance(at("2030-01-02T12:00:00Z"));
        assert_eq!(next_day.fill("<age:-5m>"), "5m0s");
    }

    #[test]
    fn ages_are_formatted_as_in_kubectl() {
        let clock = IncidentClock::start(at("2030-01-01T12:00:00Z"));
        let ages = ["-90s", "-5m30s", "-31m", "-4h12m", "-30h", "-41d", "+1h"];
        let ages = ages.map(|offset| clock.age(offset.parse().unwrap()));
        assert_eq!(ages, ["90s", "5m30s", "31m", "4h12m", "30h", "41d", "0s"]);
    }

    #[test]
    fn keeps_other_angle_brackets() {
        let clock = IncidentClock::start(at("2030-01-01T12:00:00Z"));
        assert_eq!(
            clock.fill("a < b <t:-1m> <none> <t:soon> >"),
            "a < b 2030-01-01T11:59:00Z <none> <t:soon> >"
        );
    }

    #[test]
    fn log_times_have_milliseconds() {
        let clock = IncidentClock::start(at("2030-01-01T12:00:00.1234Z"));
        assert_eq!(clock.stamp("-1.5s".parse().unwrap()), "2030-01-01T11:59:58.623Z");
    }
}
