//! A time of an incident, relative to the current time: `-1h5m`, `-30s`, `+47d`.

use std::str::FromStr;

use jiff::SignedDuration;
use serde::Deserialize;

/// A time relative to the current time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Offset(pub(crate) SignedDuration);

impl FromStr for Offset {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (sign, duration) = match (text.strip_prefix('-'), text.strip_prefix('+')) {
            (Some(duration), _) => (-1, duration),
            (None, Some(duration)) => (1, duration),
            (None, None) => return Err(format!("`{text}` has no sign; write for example -1h5m or +47d")),
        };
        Ok(Self(parse_span(duration)? * sign))
    }
}

impl TryFrom<String> for Offset {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// Parses a duration such as `90s`, `15m`, `1h30m` or `2d`.
pub(crate) fn parse_span(text: &str) -> Result<SignedDuration, String> {
    let mut rest = text.trim();
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits =
            rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
        let (number, unit) = rest.split_at(digits);
        let number: f64 = number.parse().map_err(|_| not_a_span(text))?;
        let unit_seconds = unit.chars().next().and_then(seconds_of).ok_or_else(|| not_a_span(text))?;
        seconds += number * unit_seconds;
        rest = &unit[1..];
    }
    match SignedDuration::try_from_secs_f64(seconds) {
        Ok(span) if !text.trim().is_empty() => Ok(span),
        Ok(_) | Err(_) => Err(not_a_span(text)),
    }
}

fn seconds_of(unit: char) -> Option<f64> {
    Some(match unit {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3_600.0,
        'd' => 86_400.0,
        _ => return None,
    })
}

fn not_a_span(text: &str) -> String {
    format!("`{text}` is not a length of time; write for example 90s, 15m, 1h30m or 2d")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_signed_duration() {
        let seconds = |text: &str| text.parse::<Offset>().map(|offset| offset.0.as_millis());
        assert_eq!(seconds("-1h5m"), Ok(-3_900_000));
        assert_eq!(seconds("+47d"), Ok(4_060_800_000));
        assert_eq!(seconds("-0.25s"), Ok(-250));
        for wrong in ["1h", "-", "-5", "-5x", "-m", "+1h 5", "-5é"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
