//! `logs`: returns log lines of a container.

use regex::RegexBuilder;
use schemars::JsonSchema;
use serde::Deserialize;

use super::ClusterTool;
use crate::cluster::Cluster;
use crate::incident_clock::IncidentClock;
use crate::log::{ContainerLog, ContainerRun};
use crate::object::ObjectKind;
use crate::offset::{Offset, parse_span};

/// Which lines to read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Logs {
    /// The pod.
    pod: String,
    /// The namespace it is in. Without it: whichever has it.
    namespace: Option<String>,
    /// Whether to read the log of the container before its last restart.
    #[serde(default)]
    previous: bool,
    /// Only lines that match this regular expression, in small or capital letters.
    grep: Option<String>,
    /// Only lines within this period before now, such as 90s, 15m or 1h30m.
    since: Option<String>,
    /// At most this many lines, the last ones.
    #[serde(default = "usual_tail")]
    #[schemars(range(min = 1, max = 200))]
    tail: usize,
}

fn usual_tail() -> usize {
    40
}

/// The maximum number of lines in one result.
const MAX_TAIL: usize = 200;

impl ClusterTool for Logs {
    const NAME: &'static str = "logs";
    const DESCRIPTION: &'static str = "Reads the log of a pod: the last lines, those since some time ago, or those that match a \
        regular expression. With `previous`, the log of the container before its last restart.";

    fn run(&self, cluster: &Cluster, clock: IncidentClock) -> Result<String, String> {
        let pod = cluster.object(ObjectKind::Pod, &self.pod, self.namespace.as_deref())?;
        let log =
            cluster.log(pod, if self.previous { ContainerRun::Previous } else { ContainerRun::Current })?;
        let lines = self.matching(log, clock)?;
        let shown = &lines[lines.len().saturating_sub(self.tail.clamp(1, MAX_TAIL))..];
        if shown.is_empty() {
            return Ok(format!("No line of {} matches; its log has {}.\n", log.pod, log.lines.len()));
        }
        let left_out = lines.len() - shown.len();
        let note = format!("({left_out} earlier lines that match are not shown)\n");
        let note = if left_out > 0 { note } else { String::new() };
        Ok(note + &shown.concat())
    }
}

impl Logs {
    fn matching(&self, log: &ContainerLog, clock: IncidentClock) -> Result<Vec<String>, String> {
        let grep = self.grep.as_deref().unwrap_or_default();
        let pattern = RegexBuilder::new(grep).case_insensitive(true).build();
        let pattern = pattern.map_err(|error| format!("`grep` is not a regular expression: {error}"))?;
        let since = self.since.as_deref().map(parse_span).transpose()?;
        let is_recent =
            |at: Offset| since.is_none_or(|since| clock.now.duration_since(clock.time(at)) <= since);
        let lines = log.lines.iter().filter(|(at, _)| is_recent(*at));
        let lines = lines.map(|(at, text)| (at, clock.fill(text))).filter(|(_, text)| pattern.is_match(text));
        Ok(lines.map(|(at, text)| format!("{} {text}\n", clock.stamp(*at))).collect())
    }
}
