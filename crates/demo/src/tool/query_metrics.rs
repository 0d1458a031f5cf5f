//! `query_metrics`: returns the values of a metric over time.

use std::collections::BTreeMap;
use std::fmt::Write;

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Deserialize;

use super::ClusterTool;
use crate::cluster::Cluster;
use crate::incident_clock::IncidentClock;
use crate::metric::{Metric, Series};
use crate::offset::{Offset, parse_span};
use crate::suggestion::suggestion;

/// The maximum number of series in one result.
const MAX_SERIES: usize = 8;
/// The retention of metrics.
const RETENTION: SignedDuration = SignedDuration::from_hours(24);

/// Which numbers to read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct QueryMetrics {
    /// The metric. Without it: a list of all metrics.
    metric: Option<String>,
    /// Only series with these labels; a value may end in `*`.
    #[serde(default)]
    labels: BTreeMap<String, String>,
    /// How far to look back, such as 30m or 3h; at most 24h.
    #[serde(default = "usual_span")]
    since: String,
    /// Into how many values the time is divided.
    #[serde(default = "usual_points")]
    #[schemars(range(min = 2, max = 60))]
    points: u16,
}

fn usual_span() -> String {
    "1h".to_owned()
}

fn usual_points() -> u16 {
    12
}

impl ClusterTool for QueryMetrics {
    const NAME: &'static str = "query_metrics";
    const DESCRIPTION: &'static str = "Reads a metric over time: for each series its values with their times, and the least, the \
        greatest and the last. Without a metric it lists those there are.";

    fn run(&self, cluster: &Cluster, clock: IncidentClock) -> Result<String, String> {
        let Some(name) = &self.metric else { return Ok(list(&cluster.metrics)) };
        let metric = cluster.metrics.iter().find(|metric| metric.name == *name).ok_or_else(|| {
            let known = cluster.metrics.iter().map(|metric| metric.name.as_str());
            format!("there is no metric {name}; {}", suggestion(name, known))
        })?;
        let series = self.series(metric)?;
        let since = parse_span(&self.since)?.min(RETENTION);
        let times = sample_times(since, self.points, clock);
        let mut text = format!("# {}: {}\n", metric.name, metric.help);
        series.iter().for_each(|series| write_series(&mut text, metric, series, &times, clock));
        Ok(text)
    }
}

impl QueryMetrics {
    fn series<'a>(&self, metric: &'a Metric) -> Result<Vec<&'a Series>, String> {
        let series: Vec<&Series> =
            metric.series.iter().filter(|series| series.matches(&self.labels)).collect();
        let there_are = || metric.series.iter().map(Series::name).collect::<Vec<_>>().join(", ");
        match series.len() {
            0 => Err(format!("no series of {} has these labels; there are: {}", metric.name, there_are())),
            1..=MAX_SERIES => Ok(series),
            many => Err(format!(
                "{many} series are too many; choose with `labels`, a value may end in `*`; there are: {}",
                there_are()
            )),
        }
    }
}

fn list(metrics: &[Metric]) -> String {
    let lines = metrics
        .iter()
        .map(|metric| format!("{} ({} series): {}\n", metric.name, metric.series.len(), metric.help));
    lines.collect()
}

/// Returns evenly spaced times of the last `since`, relative to the anchor.
fn sample_times(since: SignedDuration, points: u16, clock: IncidentClock) -> Vec<Offset> {
    let points = i32::from(points.clamp(2, 60));
    let now = clock.now.duration_since(clock.anchor);
    (0..points).map(|number| Offset(now - since / (points - 1) * (points - 1 - number))).collect()
}

fn write_series(text: &mut String, metric: &Metric, series: &Series, times: &[Offset], clock: IncidentClock) {
    let values: Vec<f64> = times.iter().map(|at| series.value(*at)).collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let last = values.last().copied().unwrap_or_default();
    // Writing to a String cannot fail.
    let _ =
        writeln!(text, "{}{}  least {least}, greatest {greatest}, last {last}", metric.name, series.name());
    for (at, value) in times.iter().zip(values) {
        let _ = writeln!(text, "  {}  {value}", clock.second(*at));
    }
}
