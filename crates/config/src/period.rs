//! A duration in a configuration file: `40m`, `500ms`, `1h30m`, or a plain number of seconds.
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

/// Units with their length in milliseconds, longest first.
const UNITS: [(&str, u64); 5] =
    [("d", 24 * 60 * 60 * 1000), ("h", 60 * 60 * 1000), ("m", 60 * 1000), ("s", 1000), ("ms", 1)];

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
        let mut millis = Some(0_u64);
        while !rest.is_empty() {
            let (part, after) = first_part(rest)?;
            millis = millis.and_then(|sum| sum.checked_add(part));
            rest = after;
        }
        millis.filter(|_| !text.is_empty()).map(Self::from_millis).ok_or(NotAPeriod)
    }
}

/// Parses the first number with its unit; returns its milliseconds and the remaining text.
fn first_part(text: &str) -> Result<(u64, &str), NotAPeriod> {
    let digits = text.find(|char: char| !char.is_ascii_digit()).ok_or(NotAPeriod)?;
    let (number, rest) = text.split_at(digits);
    let (unit, rest) = rest.split_at(rest.find(|char: char| char.is_ascii_digit()).unwrap_or(rest.len()));
    let (_, factor) = UNITS.into_iter().find(|(name, _)| *name == unit).ok_or(NotAPeriod)?;
    let millis = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    millis.map(|millis| (millis, rest)).ok_or(NotAPeriod)
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
            "pattern": "^([0-9]+|([0-9]+(ms|s|m|h|d))+)$",
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
        for text in ["", "m", "5 m", "5x", "-5s", "1.5h", "5m3", "99999999999999999999", "99999999999999999d"]
        {
            assert_eq!(text.parse::<Period>(), Err(NotAPeriod), "{text}");
        }
    }
}
