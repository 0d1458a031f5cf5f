//! A change that was rolled out.

use serde::Deserialize;

use crate::offset::Offset;
use crate::present::Present;

/// A change that was rolled out.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Deploy {
    pub(crate) at: Offset,
    pub(crate) service: String,
    version: String,
    /// What ran before.
    from: String,
    /// Who rolled it out.
    by: String,
    /// How it went.
    status: String,
    /// What it is for, in the words of who made it.
    summary: String,
    /// What is different in manifests and settings.
    #[serde(default)]
    changes: String,
}

impl Deploy {
    /// The change as a paragraph.
    pub(crate) fn describe(&self, present: Present) -> String {
        let head = format!(
            "{}  {} {} (before: {})  {}, by {}, {} ago\n  {}\n",
            present.second(self.at),
            self.service,
            self.version,
            self.from,
            self.status,
            self.by,
            present.age(self.at),
            self.summary
        );
        let changes = self.changes.lines().map(|line| format!("    {line}\n"));
        present.fill(&(head + &changes.collect::<String>()))
    }
}
