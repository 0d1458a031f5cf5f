//! A duration in a configuration file: `40m`, `500ms`, `1h30m`, `1.5h`, or a plain number of seconds.
//!
//! Fractions and the units below a millisecond are those of Go, for existing files; the value is rounded up to whole
//! milliseconds.
//!
//! It serializes in the same form, so configuration views and session snapshots stay readable. The largest
//! unit is a day of 24 hours; there are no calendar units. ADR 16 explains why no crate is used.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A duration with millisecond precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Period {
    millis: u64,
}

/// The error for a text that is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected a duration such as `40m`, `500ms` or `1h30m`, or a whole number of seconds")]
pub struct NotAPeriod;

/// Units that are printed, with their length in milliseconds, longest first.
const UNITS: [(&str, u64); 5] =
    [("d", 24 * 60 * 60 * 1000), ("h", 60 * 60 * 1000), ("m", 60 * 1000), ("s", 1000), ("ms", 1)];
const NANOS_PER_MILLI: u128 = 1_000_000;

impl Period {
    /// Creates a period from seconds; saturates at the largest period.
    pub const fn from_secs(seconds: u64) -> Self {
        Self { millis: seconds.saturating_mul(1000) }
    }

    /// Creates a period from milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self { millis }
    }

    /// Returns the period as a [`Duration`].
    pub const fn duration(self) -> Duration {
        Duration::from_millis(self.millis)
    }

    /// Returns whether the period is zero.
    pub const fn is_zero(self) -> bool {
        self.millis == 0
    }
}

impl FromStr for Period {
    type Err = NotAPeriod;

    fn from_str(text: &str) -> Result<Self, NotAPeriod> {
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let seconds: u64 = text.parse().map_err(|_| NotAPeriod)?;
            return seconds.checked_mul(1000).map(Self::from_millis).ok_or(NotAPeriod);
        }
        let mut rest = text;
        let mut nanos = 0_u128;
        while !rest.is_empty() {
            let (part, after) = first_part(rest)?;
            nanos = nanos.checked_add(part).ok_or(NotAPeriod)?;
            rest = after;
        }
        let millis = u64::try_from(nanos.div_ceil(NANOS_PER_MILLI)).map_err(|_| NotAPeriod)?;
        if text.is_empty() { Err(NotAPeriod) } else { Ok(Self::from_millis(millis)) }
    }
}

/// Parses the first number with its unit; returns its nanoseconds and the remaining text.
fn first_part(text: &str) -> Result<(u128, &str), NotAPeriod> {
    let is_number = |char: char| char.is_ascii_digit() || char == '.';
    let (number, rest) = text.split_at(text.find(|char| !is_number(char)).ok_or(NotAPeriod)?);
    let (unit, rest) = rest.split_at(rest.find(is_number).unwrap_or(rest.len()));
    let length = unit_nanos(unit).ok_or(NotAPeriod)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    // More digits than nanoseconds in a day have no effect.
    let fraction = &fraction[..fraction.len().min(15)];
    if whole.is_empty() && fraction.is_empty() {
        return Err(NotAPeriod);
    }
    let digits = |digits: &str| if digits.is_empty() { Some(0_u128) } else { digits.parse().ok() };
    let below = u32::try_from(fraction.len())
        .ok()
        .and_then(|places| Some((digits(fraction)?.checked_mul(length)?).div_ceil(10_u128.pow(places))));
    let nanos = digits(whole).and_then(|whole| whole.checked_mul(length)?.checked_add(below?));
    nanos.map(|nanos| (nanos, rest)).ok_or(NotAPeriod)
}

/// Returns the length of a unit in nanoseconds. Both Unicode letters for micro are in use.
fn unit_nanos(unit: &str) -> Option<u128> {
    match unit {
        "ns" => Some(1),
        "us" | "µs" | "μs" => Some(1000),
        _ => UNITS
            .into_iter()
            .find(|(name, _)| *name == unit)
            .map(|(_, millis)| u128::from(millis) * NANOS_PER_MILLI),
    }
}

impl fmt::Display for Period {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return formatter.write_str("0s");
        }
        let mut rest = self.millis;
        for (unit, length) in UNITS {
            if rest >= length {
                write!(formatter, "{}{unit}", rest / length)?;
                rest %= length;
            }
        }
        Ok(())
    }
}

impl TryFrom<String> for Period {
    type Error = NotAPeriod;

    fn try_from(text: String) -> Result<Self, NotAPeriod> {
        text.parse()
    }
}

impl From<Period> for String {
    fn from(period: Period) -> Self {
        period.to_string()
    }
}

impl JsonSchema for Period {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Period".into()
    }

    /// `format: duration` of JSON Schema means ISO 8601, so the schema has a pattern and a custom format
    /// name.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "integer"],
            "format": "period",
            "pattern": "^([0-9]+|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h|d))+)$",
            "minimum": 0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_parsed_and_displayed() {
        let cases = [
            ("40m", 2_400_000, "40m"),
            ("500ms", 500, "500ms"),
            ("1h30m", 5_400_000, "1h30m"),
            ("90", 90_000, "1m30s"),
            ("120s", 120_000, "2m"),
            ("36h", 129_600_000, "1d12h"),
            ("1m1ms", 60_001, "1m1ms"),
            ("0", 0, "0s"),
            ("1.5h", 5_400_000, "1h30m"),
            ("1m30.5s", 90_500, "1m30s500ms"),
            (".5s", 500, "500ms"),
            ("2.s", 2000, "2s"),
            ("0.1d", 8_640_000, "2h24m"),
            ("1.000000000000000000001s", 1000, "1s"),
            ("1500us", 2, "2ms"),
            ("100µs", 1, "1ms"),
            ("100μs1ns", 1, "1ms"),
            ("1000000ns", 1, "1ms"),
            ("0.0s", 0, "0s"),
        ];
        for (text, millis, written) in cases {
            let period: Period = text.parse().unwrap();
            assert_eq!(
                (period.duration().as_millis(), period.to_string().as_str()),
                (millis, written),
                "{text}"
            );
        }
    }

    #[test]
    fn rejects_texts_that_are_not_durations() {
        for text in [
            "",
            "m",
            "5 m",
            "5x",
            "-5s",
            "1.5",
            ".s",
            "1..5s",
            "1.5.5s",
            "s1",
            "5m3",
            "99999999999999999999",
            "99999999999999999d",
        ] {
            assert_eq!(text.parse::<Period>(), Err(NotAPeriod), "{text}");
        }
    }
}
