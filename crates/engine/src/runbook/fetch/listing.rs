//! Fetches the list of files of a repository from GitHub's API.

use reqwest::header::{ACCEPT, AUTHORIZATION};
use tokio::time::timeout;
use url::Url;

use super::{Fetcher, MAX_REDIRECTS, connection_fault, read_bytes, redirect_target};
use crate::runbook::fault::RunbookFault;

/// Maximum size of the list of files of a repository. GitHub truncates lists at 7 MB.
const MAX_LISTING_BYTES: usize = 8 * 1024 * 1024;
const LISTING_TYPE: &str = "application/vnd.github+json";

impl Fetcher {
    /// Fetches the list with the token. Redirects are followed within the host of the API: GitHub sends them for
    /// repositories that were renamed.
    pub(in crate::runbook) async fn fetch_listing(&self, url: &str) -> Result<String, RunbookFault> {
        let in_time = timeout(self.timeout, self.follow_listing(url)).await;
        in_time.unwrap_or(Err(RunbookFault::Slow(self.timeout.as_secs())))
    }

    async fn follow_listing(&self, url: &str) -> Result<String, RunbookFault> {
        let mut url = Url::parse(url).map_err(RunbookFault::NotAnAddress)?;
        for _ in 0..=MAX_REDIRECTS {
            let request = self.client.get(url.clone()).header(ACCEPT, LISTING_TYPE);
            let request = self
                .token
                .iter()
                .fold(request, |request, token| request.header(AUTHORIZATION, token.clone()));
            let response = request.send().await.map_err(|error| connection_fault(&error))?;
            let status = response.status();
            if status.is_redirection() {
                let target = redirect_target(&url, response.headers())?;
                if target.origin() != url.origin() {
                    return Err(RunbookFault::InvalidRedirect);
                }
                url = target;
            } else if status.is_success() {
                let bytes = read_bytes(response, MAX_LISTING_BYTES).await?;
                return String::from_utf8(bytes).map_err(|_| RunbookFault::NotText);
            } else {
                return Err(RunbookFault::refused(status, self.github_credentials()));
            }
        }
        Err(RunbookFault::Redirects(MAX_REDIRECTS))
    }
}
