//! The runbook of an alert: text in the alert, a document fetched from a URL, or the default one.
//!
//! A runbook that cannot be fetched results in a warning and never fails an investigation. The caller masks
//! and records it.

mod address;
mod cache;
mod catalog;
mod fault;
mod fetch;
mod folder;
mod repository;

use std::sync::Arc;

use reqwest::header::HeaderValue;
use tarsy_config::{Config, Environment};
use thiserror::Error;
use tracing::warn;
use url::Url;

use address::{AllowedHosts, RunbookSource, display_url};
use cache::RunbookCache;
use catalog::Catalog;
pub use catalog::{RunbookCatalog, RunbookFile};
use fault::RunbookFault;
use fetch::Fetcher;

/// The sources of runbooks.
pub struct Runbooks {
    /// For alerts without a runbook, and for those whose runbook cannot be fetched.
    default: Option<String>,
    fetcher: Fetcher,
    cache: RunbookCache,
    catalog: Catalog,
}

/// The runbook for an investigation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runbook {
    /// The text, if there is one.
    pub text: Option<String>,
    /// Why it is not the runbook that the alert names.
    pub warning: Option<String>,
}

/// An invalid configuration of runbooks.
#[derive(Debug, Error)]
pub enum RunbooksError {
    /// An invalid host.
    #[error(
        "`{0}` in `system.runbooks.allowed_domains`: expected a host such as `github.com` or `wiki.example.com:8443`"
    )]
    Host(String),
    /// A token that is not a valid header value. It is not shown.
    #[error("the token in `{0}` contains characters that are not allowed in an HTTP header")]
    Token(String),
    /// The HTTP client cannot be built.
    #[error("cannot build the HTTP client for runbooks")]
    Client(#[from] reqwest::Error),
}

impl Runbooks {
    /// Creates the sources of a configuration; `environment` contains the GitHub token.
    pub fn new(config: &Config, environment: &Environment) -> Result<Self, RunbooksError> {
        let settings = &config.system().runbooks;
        let hosts = AllowedHosts::new(&settings.allowed_domains)?;
        let token_variable = config.system().github.token_env.clone();
        let token = token(&token_variable, environment)?;
        let default = config.defaults().runbook.clone();
        Ok(Self {
            default: default.filter(|text| !text.trim().is_empty()),
            fetcher: Fetcher::new(hosts, token_variable, token)?,
            cache: RunbookCache::new(settings.cache_ttl.duration()),
            catalog: Catalog::new(
                settings.repo_url.clone(),
                config.system().github.api_url.clone(),
                settings.cache_ttl.duration(),
            ),
        })
    }

    /// Returns the runbooks that people can select. A request to a slow server ends after a timeout.
    pub async fn list(&self) -> RunbookCatalog {
        self.catalog.list(&self.fetcher).await
    }

    /// Returns the runbook for an alert. `named` is a URL, the text of a runbook, or nothing.
    ///
    /// Never fails; a request to a slow server ends after a timeout.
    pub async fn obtain(&self, named: Option<&str>) -> Runbook {
        match RunbookSource::parse(named) {
            RunbookSource::Nothing => Runbook { text: self.default.clone(), warning: None },
            RunbookSource::Text(text) => Runbook { text: Some(text.to_owned()), warning: None },
            RunbookSource::File(path) => self.obtain_file(path).await,
            RunbookSource::Url(url) => match Url::parse(url) {
                Ok(url) => self.obtain_from(&url).await,
                // The URL is not shown: it may contain a password, which cannot be located in an invalid URL.
                Err(error) => self.fall_back("The runbook URL", &RunbookFault::NotAnAddress(error)),
            },
        }
    }

    async fn obtain_file(&self, path: &str) -> Runbook {
        match self.read_file(path).await {
            Ok(text) => Runbook { text: Some(text), warning: None },
            Err(fault) => self.fall_back(&format!("The runbook `{}`", path.escape_debug()), &fault),
        }
    }

    async fn read_file(&self, path: &str) -> Result<String, RunbookFault> {
        let folder = self.catalog.folder().ok_or(RunbookFault::NoFolder)?;
        let path = path.to_owned();
        let read = tokio::task::spawn_blocking(move || folder::read(&folder, &path)).await;
        read.map_err(|error| RunbookFault::Unreadable(error.to_string()))?
    }

    async fn obtain_from(&self, url: &Url) -> Runbook {
        match self.fetch(url).await {
            Ok(text) => Runbook { text: Some(text.as_ref().to_owned()), warning: None },
            Err(fault) => self.fall_back(&format!("The runbook at {}", display_url(url)), &fault),
        }
    }

    async fn fetch(&self, url: &Url) -> Result<Arc<str>, RunbookFault> {
        let address = self.fetcher.admit(url)?;
        self.cache.get(&address, self.fetcher.fetch(&address)).await
    }

    fn fall_back(&self, what: &str, fault: &RunbookFault) -> Runbook {
        warn!(runbook = what, reason = %fault, "cannot use a runbook");
        let instead = match self.default {
            Some(_) => "The default runbook is used instead.",
            None => "The investigation continues without one.",
        };
        let warning = format!("{what} could not be used: {fault}. {instead}");
        Runbook { text: self.default.clone(), warning: Some(warning) }
    }
}

/// Returns the `Authorization` header for GitHub. The value is trimmed: variables are often set from files
/// that end with a line break.
fn token(variable: &str, environment: &Environment) -> Result<Option<HeaderValue>, RunbooksError> {
    let token = environment.get(variable).unwrap_or_default().trim();
    if token.is_empty() {
        return Ok(None);
    }
    let mut header = HeaderValue::from_str(&format!("Bearer {token}"))
        .map_err(|_| RunbooksError::Token(variable.to_owned()))?;
    header.set_sensitive(true);
    Ok(Some(header))
}
