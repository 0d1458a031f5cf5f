//! The runbook of an alert: a text that came with it, one that is fetched from an address, or the default one.
//!
//! A runbook that cannot be had is a warning, never the end of an investigation. When a session asks for its runbook,
//! and where it keeps it, is not decided here; nor is anything masked.

mod address;
mod fault;
mod fetch;
mod recent;

use std::sync::Arc;

use reqwest::header::HeaderValue;
use tarsy_config::{Config, Environment};
use thiserror::Error;
use tracing::warn;
use url::Url;

use address::{AllowedHosts, Named, shown};
use fault::Fault;
use fetch::Fetcher;
use recent::Recent;

/// Where runbooks come from.
pub struct Runbooks {
    /// For alerts that bring none, and for those whose own cannot be had.
    default: Option<String>,
    fetcher: Fetcher,
    recent: Recent,
}

/// What an investigation gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runbook {
    /// The text to go by, if there is one.
    pub text: Option<String>,
    /// What people should know if it is not the one that was named.
    pub warning: Option<String>,
}

/// A configuration with which runbooks cannot be fetched.
#[derive(Debug, Error)]
pub enum RunbooksError {
    /// A host that cannot be read.
    #[error(
        "`{0}` in `system.runbooks.allowed_domains`: expected a host such as `github.com` or `wiki.example.com:8443`"
    )]
    Host(String),
    /// A token that cannot be sent. It is not shown.
    #[error("the token in `{0}` has characters in it that no header can carry")]
    Token(String),
    /// The HTTP client cannot be made.
    #[error("the HTTP client for runbooks")]
    Client(#[from] reqwest::Error),
}

impl Runbooks {
    /// The runbooks of this configuration, with the GitHub token of this environment.
    pub fn new(config: &Config, environment: &Environment) -> Result<Self, RunbooksError> {
        let settings = &config.system().runbooks;
        let hosts = AllowedHosts::new(&settings.allowed_domains)?;
        let token_variable = config.system().github.token_env.clone();
        let token = token(&token_variable, environment)?;
        let default = config.defaults().runbook.clone();
        Ok(Self {
            default: default.filter(|text| !text.trim().is_empty()),
            fetcher: Fetcher::new(hosts, token_variable, token)?,
            recent: Recent::new(settings.cache_ttl.duration()),
        })
    }

    /// The runbook for an alert that names one, or does not: an address, or the text itself.
    ///
    /// It never fails, and gives up on a server that takes too long.
    pub async fn obtain(&self, named: Option<&str>) -> Runbook {
        match Named::read(named) {
            Named::Nothing => Runbook { text: self.default.clone(), warning: None },
            Named::Text(text) => Runbook { text: Some(text.to_owned()), warning: None },
            Named::Address(address) => match Url::parse(address) {
                Ok(url) => self.obtain_from(&url).await,
                // It is not shown: nobody knows which part of it is a password.
                Err(error) => self.fall_back("The runbook's address", &Fault::NotAnAddress(error)),
            },
        }
    }

    async fn obtain_from(&self, url: &Url) -> Runbook {
        match self.fetch(url).await {
            Ok(text) => Runbook { text: Some(text.as_ref().to_owned()), warning: None },
            Err(fault) => self.fall_back(&format!("The runbook at {}", shown(url)), &fault),
        }
    }

    async fn fetch(&self, url: &Url) -> Result<Arc<str>, Fault> {
        let address = self.fetcher.admit(url)?;
        self.recent.get(&address, self.fetcher.fetch(&address)).await
    }

    fn fall_back(&self, what: &str, fault: &Fault) -> Runbook {
        warn!(runbook.named = what, reason = %fault, "a runbook could not be used");
        let instead = match self.default {
            Some(_) => "The default runbook is used instead.",
            None => "The investigation goes on without one.",
        };
        let warning = format!("{what} could not be used: {fault}. {instead}");
        Runbook { text: self.default.clone(), warning: Some(warning) }
    }
}

/// The `Authorization` for GitHub. Variables are often filled from files, with the line break that ends them.
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
