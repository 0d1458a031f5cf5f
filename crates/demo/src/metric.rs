//! A metric with its time series, interpolated between a few recorded points.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use serde::Deserialize;

use crate::offset::Offset;

/// A metric with its series.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Metric {
    pub(crate) name: String,
    /// The quantity and its unit.
    pub(crate) help: String,
    pub(crate) series: Vec<Series>,
}

/// One time series of a metric.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Series {
    pub(crate) labels: BTreeMap<String, String>,
    /// Times and values, in order; values between them are interpolated linearly.
    points: Vec<(Offset, f64)>,
    /// The amplitude of the noise that is added to the values.
    #[serde(default)]
    jitter: f64,
}

impl Series {
    /// Returns the value at a time. It is constant before the first point and after the last one.
    pub(crate) fn value(&self, at: Offset) -> f64 {
        let after = self.points.iter().position(|(time, _)| *time > at);
        let value = match after {
            Some(0) => self.points.first().map_or(0.0, |(_, value)| *value),
            Some(index) => interpolate(self.points[index - 1], self.points[index], at),
            None => self.points.last().map_or(0.0, |(_, value)| *value),
        };
        let noise = self.jitter * (at.0.as_secs_f64() / 37.0).sin();
        ((value + noise).max(0.0) * 1000.0).round() / 1000.0
    }

    /// Returns whether the series has all these labels; a value may end in `*`.
    pub(crate) fn matches(&self, wanted: &BTreeMap<String, String>) -> bool {
        wanted.iter().all(|(label, pattern)| {
            let value = self.labels.get(label).map_or("", String::as_str);
            pattern.strip_suffix('*').map_or(value == pattern, |prefix| value.starts_with(prefix))
        })
    }

    /// Formats the labels as Prometheus does.
    pub(crate) fn name(&self) -> String {
        let labels = self.labels.iter().map(|(label, value)| format!("{label}=\"{value}\""));
        format!("{{{}}}", labels.collect::<Vec<_>>().join(", "))
    }
}

fn interpolate(before: (Offset, f64), after: (Offset, f64), at: Offset) -> f64 {
    let whole: SignedDuration = after.0.0 - before.0.0;
    let part: SignedDuration = at.0 - before.0.0;
    let share = if whole.is_zero() { 1.0 } else { part.as_secs_f64() / whole.as_secs_f64() };
    before.1 + (after.1 - before.1) * share
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series() -> Series {
        let points = [("-10m", 100.0), ("-5m", 200.0), ("-5m", 50.0)];
        Series {
            labels: BTreeMap::from([("pod".to_owned(), "checkout-1".to_owned())]),
            points: points.into_iter().map(|(at, value)| (at.parse().unwrap(), value)).collect(),
            jitter: 0.0,
        }
    }

    #[test]
    fn interpolates_between_points_and_is_constant_beyond_them() {
        let at = |offset: &str| series().value(offset.parse().unwrap());
        assert_eq!([at("-1h"), at("-7m30s"), at("-5m"), at("-1m")], [100.0, 150.0, 50.0, 50.0]);
    }

    #[test]
    fn labels_match_exactly_or_by_prefix() {
        let wanted = |pod: &str| BTreeMap::from([("pod".to_owned(), pod.to_owned())]);
        let matches = ["checkout-1", "checkout*", "cart*"].map(|pod| series().matches(&wanted(pod)));
        assert_eq!(matches, [true, true, false]);
        assert_eq!(series().name(), "{pod=\"checkout-1\"}");
    }
}
