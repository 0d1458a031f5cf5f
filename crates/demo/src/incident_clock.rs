//! The present that an incident is told in: recorded distances become times and ages of today.

use jiff::{SignedDuration, Timestamp, Unit};

use crate::offset::Offset;

/// Nobody has looked for so long that the incident begins anew for who looks next.
const QUIET: SignedDuration = SignedDuration::from_mins(20);

/// What the distances of an incident are measured from, and what time it is.
///
/// They are not the same: while somebody investigates, what happened stays where it was and grows older.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Present {
    /// The moment that distances are measured from.
    pub(crate) anchor: Timestamp,
    /// What time it is.
    pub(crate) now: Timestamp,
}

impl Present {
    /// An incident that somebody looks at for the first time.
    pub(crate) fn beginning(now: Timestamp) -> Self {
        Self { anchor: now, now }
    }

    /// The same for a later look. After a long time in which nobody looked, the incident is fresh again.
    #[must_use]
    pub(crate) fn at_next_look(self, now: Timestamp) -> Self {
        if now.duration_since(self.now) > QUIET { Self::beginning(now) } else { Self { now, ..self } }
    }

    /// When something happened.
    pub(crate) fn time(self, offset: Offset) -> Timestamp {
        self.anchor.saturating_add(offset.0).unwrap_or(self.anchor)
    }

    /// When something happened, as logs write it.
    pub(crate) fn stamp(self, offset: Offset) -> String {
        let time = self.time(offset);
        format!("{:.3}", time.round(Unit::Millisecond).unwrap_or(time))
    }

    /// When something happened, to the second.
    pub(crate) fn second(self, offset: Offset) -> String {
        let time = self.time(offset);
        time.round(Unit::Second).unwrap_or(time).to_string()
    }

    /// How long ago something happened, as kubectl writes it.
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

    /// Fills `<t:-5m>` with a time and `<age:-5m>` with an age. Whatever else is in angle brackets stays as it is.
    pub(crate) fn fill(self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, inside, after)) = mark(rest) {
            filled.push_str(before);
            match self.meaning(inside) {
                Some(meaning) => filled.push_str(&meaning),
                None => filled.extend(["<", inside, ">"]),
            }
            rest = after;
        }
        filled + rest
    }

    fn meaning(self, mark: &str) -> Option<String> {
        let (word, offset) = mark.split_once(':')?;
        let offset = offset.parse().ok()?;
        match word {
            "t" => Some(self.second(offset)),
            "age" => Some(self.age(offset)),
            _ => None,
        }
    }
}

/// The next piece in angle brackets, with what is before and after it.
fn mark(text: &str) -> Option<(&str, &str, &str)> {
    let (_, rest) = text.split_once('<')?;
    let (inside, after) = rest.split_once('>')?;
    // Of `a < b <t:-5m>` the last bracket opens the mark.
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
    fn an_incident_stays_where_it_was_while_somebody_looks() {
        let first = Present::beginning(at("2030-01-01T12:00:00Z"));
        let later = first.at_next_look(at("2030-01-01T12:10:00Z"));
        assert_eq!(later.fill("at <t:-5m>, <age:-5m> ago"), "at 2030-01-01T11:55:00Z, 15m ago");
        assert_eq!(later.at_next_look(at("2030-01-01T12:29:00Z")).anchor, first.anchor);
    }

    #[test]
    fn after_a_long_quiet_time_it_is_fresh_again() {
        let first = Present::beginning(at("2030-01-01T12:00:00Z"));
        let next_day = first.at_next_look(at("2030-01-02T12:00:00Z"));
        assert_eq!(next_day.fill("<age:-5m>"), "5m0s");
    }

    #[test]
    fn ages_are_written_as_kubectl_writes_them() {
        let present = Present::beginning(at("2030-01-01T12:00:00Z"));
        let ages = ["-90s", "-5m30s", "-31m", "-4h12m", "-30h", "-41d", "+1h"];
        let ages = ages.map(|offset| present.age(offset.parse().unwrap()));
        assert_eq!(ages, ["90s", "5m30s", "31m", "4h12m", "30h", "41d", "0s"]);
    }

    #[test]
    fn other_brackets_stay() {
        let present = Present::beginning(at("2030-01-01T12:00:00Z"));
        assert_eq!(
            present.fill("a < b <t:-1m> <none> <t:soon> >"),
            "a < b 2030-01-01T11:59:00Z <none> <t:soon> >"
        );
    }

    #[test]
    fn logs_have_milliseconds() {
        let present = Present::beginning(at("2030-01-01T12:00:00.1234Z"));
        assert_eq!(present.stamp("-1.5s".parse().unwrap()), "2030-01-01T11:59:58.623Z");
    }
}
