//! Access to Google Cloud: credentials, exchanged for a token that lives an hour.
//!
//! Knows the two kinds of credentials file that can be used anywhere, of a service account and of a user who signed in
//! with `gcloud`, and the metadata server that machines at Google can ask instead.

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

/// How long a token may take to come.
const PATIENCE: Duration = Duration::from_secs(30);
/// A token is renewed this long before its end, so that it holds while a request is under way.
const RENEW_BEFORE: Duration = Duration::from_secs(60);

/// Gives out access tokens.
pub(crate) struct GoogleAccess {
    credentials: GoogleCredentials,
    /// Not the model's: that one may have been told not to check certificates.
    client: Client,
    /// The token that was fetched last. The lock is held while one is fetched: whoever comes meanwhile waits for
    /// that one and asks for none of its own.
    token: Mutex<Option<Token>>,
}

#[derive(Clone)]
struct Token {
    text: Secret,
    expires_at: SystemTime,
}

impl GoogleAccess {
    /// Access for whom the credentials are.
    pub(crate) fn new(credentials: GoogleCredentials) -> Result<Self, reqwest::Error> {
        let client = Client::builder().timeout(PATIENCE).redirect(Policy::none()).build()?;
        Ok(Self { credentials, client, token: Mutex::new(None) })
    }

    /// A token that is good for at least a minute, fetched if need be.
    pub(crate) async fn token(&self) -> Result<Secret, ModelError> {
        let mut token = self.token.lock().await;
        let now = SystemTime::now();
        if let Some(known) = token.as_ref().filter(|known| known.expires_at > now + RENEW_BEFORE) {
            return Ok(known.text.clone());
        }
        let fetched = self.fetch(now).await?;
        Ok(token.insert(fetched).text.clone())
    }

    async fn fetch(&self, now: SystemTime) -> Result<Token, ModelError> {
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
            return Err(self.refused(status, &body));
        }
        read_token(&body, now).ok_or_else(|| provider_bug("Google answered without an access token"))
    }

    fn unreachable(&self, error: &reqwest::Error) -> ModelError {
        let host = self.credentials.token_url().host_str().unwrap_or_default();
        let message = format!("no access token from {host}: {}", causes_of(error));
        ModelError::new(ModelFailureKind::Network, message)
    }

    fn refused(&self, status: u16, body: &Value) -> ModelError {
        let kind = match status {
            429 => ModelFailureKind::RateLimit,
            500..600 => ModelFailureKind::Overloaded,
            _ => ModelFailureKind::Credentials,
        };
        let said = ["error", "error_description"].map(|key| body.get(key).and_then(Value::as_str));
        let said: Vec<_> = said.into_iter().flatten().collect();
        let message =
            format!("Google gives {} no access token ({status}): {}", self.credentials, said.join(": "));
        ModelError::new(kind, message)
    }
}

impl fmt::Debug for GoogleAccess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "GoogleAccess({})", self.credentials)
    }
}

fn read_token(body: &Value, now: SystemTime) -> Option<Token> {
    let text = body.get("access_token")?.as_str()?;
    let seconds = body.get("expires_in").and_then(Value::as_u64).unwrap_or_default();
    // Nobody gives tokens for longer than a day; a larger number would not be a time at all.
    let lifetime = Duration::from_secs(seconds.min(86_400));
    Some(Token { text: Secret::new(text), expires_at: now + lifetime })
}
