//! A deployment.

use serde::Deserialize;

use crate::incident_clock::IncidentClock;
use crate::offset::Offset;

/// A deployment.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Deploy {
    pub(crate) at: Offset,
    pub(crate) service: String,
    version: String,
    /// The previous version.
    from: String,
    /// The user or system that deployed it.
    by: String,
    /// The result.
    status: String,
    /// The author's description.
    summary: String,
    /// The changes of manifests and settings.
    #[serde(default)]
    changes: String,
}

impl Deploy {
    /// Formats the deployment as a paragraph.
    pub(crate) fn describe(&self, clock: IncidentClock) -> String {
        let head = format!(
            "{}  {} {} (before: {})  {}, by {}, {} ago\n  {}\n",
            clock.second(self.at),
            self.service,
            self.version,
            self.from,
            self.status,
            self.by,
            clock.age(self.at),
            self.summary
        );
        let changes = self.changes.lines().map(|line| format!("    {line}\n"));
        clock.fill(&(head + &changes.collect::<String>()))
    }
}
