//! The list of runbooks that people can select for an alert: the Markdown files of a repository or a folder.

use std::convert::Infallible;
use std::path::PathBuf;
use std::time::Duration;

use quick_cache::sync::Cache;
use serde::Deserialize;
use tokio::time::Instant;

use super::fault::RunbookFault;
use super::fetch::Fetcher;
use super::folder;
use super::repository::{GithubFolder, RunbookRepository, is_markdown, title_of_name};

/// Maximum number of listed runbooks.
pub(super) const MAX_RUNBOOKS: usize = 1000;
/// Time for which a failure is kept, so that an unavailable repository is not requested for every visitor.
const FAILURE_TTL: Duration = Duration::from_secs(10);

/// The runbooks that people can select.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunbookCatalog {
    /// `system.runbooks.repo_url`, if it is set.
    pub source: Option<String>,
    /// The files, sorted by path.
    pub files: Vec<RunbookFile>,
    /// Whether there are more files.
    pub truncated: bool,
    /// Why the files cannot be listed.
    pub error: Option<String>,
}

/// A runbook that people can select.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunbookFile {
    /// Its path below the repository or folder.
    pub path: String,
    /// Its title.
    pub title: String,
    /// The value of an alert's `runbook` that selects it.
    pub url: String,
}

/// Lists the runbooks of one repository and caches the list.
pub(super) struct Catalog {
    source: Option<String>,
    api_url: String,
    ttl: Duration,
    /// At most one entry.
    listed: Cache<(), Listed>,
}

#[derive(Clone)]
struct Listed {
    at: Instant,
    outcome: Result<FoundFiles, RunbookFault>,
}

/// The files of a repository.
#[derive(Debug, Clone, Default)]
pub(super) struct FoundFiles {
    pub(super) files: Vec<RunbookFile>,
    /// Whether there are more files.
    pub(super) truncated: bool,
}

impl Catalog {
    pub(super) fn new(source: Option<String>, api_url: String, ttl: Duration) -> Self {
        Self { source, api_url, ttl, listed: Cache::new(1) }
    }

    /// Returns the folder with runbooks, if they are in one.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        match RunbookRepository::parse(self.source.as_deref()?) {
            Ok(RunbookRepository::Folder(folder)) => Some(folder),
            Ok(RunbookRepository::Github(_)) | Err(_) => None,
        }
    }

    /// Returns the list. Concurrent callers share one request.
    pub(super) async fn list(&self, fetcher: &Fetcher) -> RunbookCatalog {
        let Some(source) = &self.source else { return RunbookCatalog::default() };
        self.listed.remove_if(&(), |listed| listed.at.elapsed() >= self.ttl_of(listed));
        let listed = self.listed.get_or_insert_async(&(), async {
            let outcome = self.read(source, fetcher).await;
            Ok::<_, Infallible>(Listed { at: Instant::now(), outcome })
        });
        let Ok(listed) = listed.await;
        let (FoundFiles { files, truncated }, error) = match listed.outcome {
            Ok(found) => (found, None),
            Err(fault) => (FoundFiles::default(), Some(fault.to_string())),
        };
        RunbookCatalog { source: Some(source.clone()), files, truncated, error }
    }

    fn ttl_of(&self, listed: &Listed) -> Duration {
        if listed.outcome.is_ok() { self.ttl } else { self.ttl.min(FAILURE_TTL) }
    }

    async fn read(&self, source: &str, fetcher: &Fetcher) -> Result<FoundFiles, RunbookFault> {
        let mut found = match RunbookRepository::parse(source)? {
            RunbookRepository::Folder(path) => in_folder(path).await?,
            RunbookRepository::Github(folder) => {
                let listing = fetcher.fetch_listing(&folder.listing(&self.api_url)).await?;
                on_github(&folder, &listing)?
            }
        };
        found.files.sort_by(|one, other| one.path.cmp(&other.path));
        found.truncated |= found.files.len() > MAX_RUNBOOKS;
        found.files.truncate(MAX_RUNBOOKS);
        Ok(found)
    }
}

async fn in_folder(path: PathBuf) -> Result<FoundFiles, RunbookFault> {
    // One more than is shown, to find out whether there are more.
    let listed = tokio::task::spawn_blocking(move || folder::list(&path, MAX_RUNBOOKS + 1)).await;
    listed.map_err(|error| RunbookFault::Unreadable(error.to_string()))?
}

/// The files of a repository, as GitHub's API returns them.
#[derive(Deserialize)]
struct GithubTree {
    tree: Vec<GithubTreeEntry>,
    /// Whether the list is too long for GitHub.
    #[serde(default)]
    truncated: bool,
}

#[derive(Deserialize)]
struct GithubTreeEntry {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

fn on_github(folder: &GithubFolder, listing: &str) -> Result<FoundFiles, RunbookFault> {
    let listing: GithubTree =
        serde_json::from_str(listing).map_err(|error| RunbookFault::InvalidListing(error.to_string()))?;
    let entries = listing.tree.iter().filter(|entry| entry.kind == "blob" && is_markdown(&entry.path));
    let files = entries.filter_map(|entry| {
        let path = folder.relative(&entry.path)?;
        let url = folder.page(path)?;
        Some(RunbookFile { path: path.to_owned(), title: title_of_name(path), url })
    });
    Ok(FoundFiles { files: files.collect(), truncated: listing.truncated })
}
