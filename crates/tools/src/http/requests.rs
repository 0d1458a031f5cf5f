//! The HTTP client for one server: headers, redirects and error responses.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Response, StatusCode};
use tarsy_domain::Secret;
use url::Url;

use super::HttpError;
use crate::HttpEndpoint;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_REDIRECTS: usize = 5;
/// Maximum length of an error body that is kept, in bytes.
const MAX_BODY_BYTES: usize = 300;

/// Sends requests to one server.
#[derive(Debug, Clone)]
pub(crate) struct Requests {
    pub(crate) client: Client,
    pub(crate) url: Url,
}

impl Requests {
    /// Creates a client with the headers and credentials of this server.
    pub(crate) fn new(endpoint: &HttpEndpoint) -> Result<Self, HttpError> {
        let url = Url::parse(endpoint.url.expose())
            .map_err(|error| HttpError::Settings(format!("`url` is not an address: {error}")))?;
        // There is no overall timeout: a call has its own deadline, a stream has none. A pooled connection
        // whose body was not read to the end stalls the next request, so none are pooled.
        let client = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .default_headers(headers(endpoint)?)
            .pool_max_idle_per_host(0)
            .redirect(Policy::custom(follow_same_origin))
            .tls_danger_accept_invalid_certs(!endpoint.verify_tls)
            .build()?;
        Ok(Self { client, url })
    }

    /// Sends a `DELETE` to `url`, which notifies a server of the end of an execution.
    pub(crate) async fn clean_up(&self, url: &Secret, within: Duration) -> Result<(), HttpError> {
        let response = self.client.delete(url.expose()).timeout(within).send().await?;
        accept(response).await.map(|_| ())
    }
}

/// Returns the response if its status is a success.
pub(crate) async fn accept(response: Response) -> Result<Response, HttpError> {
    let status = response.status();
    if status.is_success() { Ok(response) } else { Err(error_of(status, response).await) }
}

/// Reads the beginning of an error response.
pub(crate) async fn error_of(status: StatusCode, mut response: Response) -> HttpError {
    let mut body = Vec::new();
    while body.len() < MAX_BODY_BYTES
        && let Ok(Some(bytes)) = response.chunk().await
    {
        body.extend_from_slice(&bytes);
    }
    let body = String::from_utf8_lossy(&body);
    let body =
        body[..body.floor_char_boundary(MAX_BODY_BYTES)].split_whitespace().collect::<Vec<_>>().join(" ");
    HttpError::Status { status, body }
}

fn headers(endpoint: &HttpEndpoint) -> Result<HeaderMap, HttpError> {
    let mut headers = HeaderMap::new();
    for (name, value) in &endpoint.headers {
        let invalid = || HttpError::Settings(format!("the header `{name}` cannot be sent"));
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
        headers.insert(key, sensitive(value.expose()).ok_or_else(invalid)?);
    }
    if let Some(bearer) = &endpoint.bearer {
        let invalid = || HttpError::Settings("the bearer token cannot be sent".to_owned());
        let value = sensitive(&format!("Bearer {}", bearer.expose())).ok_or_else(invalid)?;
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}

fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Follows a redirect only if it preserves the body and stays within the same origin, because no other origin
/// may receive our headers.
fn follow_same_origin(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let preserves_body =
        matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let same_origin =
        attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
    if preserves_body && same_origin && attempt.previous().len() <= MAX_REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}
