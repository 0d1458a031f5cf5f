//! The runbooks that people can select for an alert, as plain values.
//!
//! The server does not depend on the engine, which reads them. The program that runs both passes a
//! [`RunbookLister`] to the server.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::Serialize;
use utoipa::ToSchema;

/// Lists the runbooks of the configured repository or folder. It must end within a few seconds.
pub type RunbookLister = Arc<dyn Fn() -> BoxFuture<'static, RunbookListing> + Send + Sync>;

/// The runbooks of `system.runbooks.repo_url`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = RunbooksResponse)]
pub struct RunbookListing {
    /// Value of `system.runbooks.repo_url`; null if it is not set.
    pub source: Option<String>,
    /// The Markdown files, sorted by path; at most 1000.
    pub runbooks: Vec<ListedRunbook>,
    /// Whether there are more files than `runbooks` contains.
    pub truncated: bool,
    /// Why the runbooks cannot be listed; null if they can.
    pub error: Option<String>,
}

/// A runbook that can be selected for an alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = RunbookResponse)]
pub struct ListedRunbook {
    /// Name of the file.
    pub name: String,
    /// Path below `source`, with `/` between folders.
    pub path: String,
    /// First heading of the file, or a title made from its name if its content was not read.
    pub title: String,
    /// Value for the field `runbook` of an alert: the URL of the page on GitHub, or `runbook:` and the path for a file in
    /// a folder.
    pub url: String,
}
