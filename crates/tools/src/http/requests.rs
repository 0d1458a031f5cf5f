//! Requests to one server: the client, what goes with every request, and how much of an answer is read.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Response, StatusCode};
use tarsy_domain::Secret;
use url::Url;

use super::HttpError;
use crate::Endpoint;

const CONNECTS_WITHIN: Duration = Duration::from_secs(10);
const MOST_REDIRECTS: usize = 5;
/// How much is shown of what a server says when it says no.
const SHOWN: usize = 300;

/// Makes requests to one server.
#[derive(Debug, Clone)]
pub(crate) struct Requests {
    pub(crate) client: Client,
    pub(crate) url: Url,
}

impl Requests {
    /// Requests to this server, with its headers and credentials.
    pub(crate) fn new(endpoint: &Endpoint) -> Result<Self, HttpError> {
        let url = Url::parse(endpoint.url.expose())
            .map_err(|error| HttpError::Settings(format!("`url` is not an address: {error}")))?;
        // Bodies are read as they come: a call has a deadline, a stream has none. Pooled connections that were
        // not read to their end stall the next request, so none are kept.
        let client = Client::builder()
            .connect_timeout(CONNECTS_WITHIN)
            .default_headers(headers(endpoint)?)
            .pool_max_idle_per_host(0)
            .redirect(Policy::custom(follow_at_home))
            .tls_danger_accept_invalid_certs(!endpoint.verify_tls)
            .build()?;
        Ok(Self { client, url })
    }

    /// Calls an address with `DELETE`, for a server that wants to know when an execution ends.
    pub(crate) async fn clean_up(&self, url: &Secret, within: Duration) -> Result<(), HttpError> {
        let response = self.client.delete(url.expose()).timeout(within).send().await?;
        accept(response).await.map(|_| ())
    }
}

/// An answer that is not a refusal.
pub(crate) async fn accept(response: Response) -> Result<Response, HttpError> {
    let status = response.status();
    if status.is_success() { Ok(response) } else { Err(refusal(status, response).await) }
}

/// What a server said when it said no.
pub(crate) async fn refusal(status: StatusCode, mut response: Response) -> HttpError {
    let mut body = Vec::new();
    while body.len() < SHOWN
        && let Ok(Some(bytes)) = response.chunk().await
    {
        body.extend_from_slice(&bytes);
    }
    let body = String::from_utf8_lossy(&body);
    let body = body[..body.floor_char_boundary(SHOWN)].split_whitespace().collect::<Vec<_>>().join(" ");
    HttpError::Status { status, body }
}

fn headers(endpoint: &Endpoint) -> Result<HeaderMap, HttpError> {
    let mut headers = HeaderMap::new();
    for (name, value) in &endpoint.headers {
        let unfit = || HttpError::Settings(format!("the header `{name}` cannot be sent"));
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unfit())?;
        headers.insert(key, sensitive(value.expose()).ok_or_else(unfit)?);
    }
    if let Some(bearer) = &endpoint.bearer {
        let unfit = || HttpError::Settings("the bearer token cannot be sent".to_owned());
        let value = sensitive(&format!("Bearer {}", bearer.expose())).ok_or_else(unfit)?;
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}

fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Follows a redirect only if it keeps the message and stays at the same server, which alone may have our headers.
fn follow_at_home(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let keeps = matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let home = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
    if keeps && home && attempt.previous().len() <= MOST_REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}
