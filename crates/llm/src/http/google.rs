//! Access tokens for Google Cloud, which expire after an hour.
//!
//! Supports the two kinds of credentials file that work anywhere (a service account, and a user who signed in
//! with `gcloud`) and the metadata server of Google Cloud machines. See
//! `docs/adr/0012-google-credentials.md`.

use std::fmt;
use std::time::{Duration, SystemTime};

use reqwest::Client;
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use serde_json::Value;
use tarsy_domain::{ModelFailureKind, Secret, causes_of};
use tokio::sync::Mutex;

use super::google_credentials::GoogleCredentials;
use crate::ModelError;
use crate::error::provider_bug;

/// Timeout for a token request.
const TOKEN_TIMEOUT: Duration = Duration::from_secs(30);
/// A token is renewed this long before it expires, so that it is valid while a request is in flight.
const RENEW_BEFORE: Duration = Duration::from_secs(60);

/// A source of access tokens.
pub(crate) struct GoogleAccess {
    credentials: GoogleCredentials,
    /// Not the client of the model, which may be configured not to verify certificates.
    client: Client,
    /// The current token. The lock is held while a token is fetched, so that concurrent callers wait for one
    /// request.
    token: Mutex<Option<AccessToken>>,
}

#[derive(Clone)]
struct AccessToken {
    text: Secret,
    expires_at: SystemTime,
}

impl GoogleAccess {
    /// Creates a token source for credentials.
    pub(crate) fn new(credentials: GoogleCredentials) -> Result<Self, reqwest::Error> {
        let client = Client::builder().timeout(TOKEN_TIMEOUT).redirect(Policy::none()).build()?;
        Ok(Self { credentials, client, token: Mutex::new(None) })
    }

    /// Returns a token that is valid for at least a minute; fetches one if needed.
    pub(crate) async fn token(&self) -> Result<Secret, ModelError> {
        let mut token = self.token.lock().await;
        let now = SystemTime::now();
        if let Some(known) = token.as_ref().filter(|known| known.expires_at > now + RENEW_BEFORE) {
            return Ok(known.text.clone());
        }
        let fetched = self.fetch(now).await?;
        Ok(token.insert(fetched).text.clone())
    }

    async fn fetch(&self, now: SystemTime) -> Result<AccessToken, ModelError> {
        let url = self.credentials.token_url().clone();
        let request = match self.credentials.grant(now)? {
            Some(grant) => {
                self.client.post(url).header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(grant)
            }
            None => self.client.get(url).header("metadata-flavor", "Google"),
        };
        let response = request.send().await.map_err(|error| self.unreachable(&error))?;
        let status = response.status().as_u16();
        let body = response.text().await.map_err(|error| self.unreachable(&error))?;
        let body: Value = serde_json::from_str(&body).unwrap_or(Value::Null);
        if status != 200 {
            return Err(self.rejected(status, &body));
        }
        parse_token(&body, now).ok_or_else(|| provider_bug("Google answered without an access token"))
    }

    fn unreachable(&self, error: &reqwest::Error) -> ModelError {
        let host = self.credentials.token_url().host_str().unwrap_or_default();
        let message = format!("no access token from {host}: {}", causes_of(error));
        ModelError::new(ModelFailureKind::Network, message)
    }

    fn rejected(&self, status: u16, body: &Value) -> ModelError {
        let kind = match status {
            429 => ModelFailureKind::RateLimit,
            500..600 => ModelFailureKind::Overloaded,
            _ => ModelFailureKind::Credentials,
        };
        let details = ["error", "error_description"].map(|key| body.get(key).and_then(Value::as_str));
        let details: Vec<_> = details.into_iter().flatten().collect();
        let message =
            format!("Google gives {} no access token ({status}): {}", self.credentials, details.join(": "));
        ModelError::new(kind, message)
    }
}

impl fmt::Debug for GoogleAccess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "GoogleAccess({})", self.credentials)
    }
}

fn parse_token(body: &Value, now: SystemTime) -> Option<AccessToken> {
    let text = body.get("access_token")?.as_str()?;
    let seconds = body.get("expires_in").and_then(Value::as_u64).unwrap_or_default();
    // Tokens are valid for less than a day; a larger number could overflow the time.
    let lifetime = Duration::from_secs(seconds.min(86_400));
    Some(AccessToken { text: Secret::new(text), expires_at: now + lifetime })
}
