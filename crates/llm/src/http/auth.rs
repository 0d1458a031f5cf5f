//! Authentication of requests.

use std::sync::Arc;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use tarsy_domain::{MIN_SECRET_CHARACTERS, ModelFailureKind, Secret};

use super::google::GoogleAccess;
use crate::ModelError;

/// Credentials, added to a request when it is sent.
#[derive(Debug, Clone)]
pub(crate) enum Auth {
    /// No authentication.
    None,
    /// A header with a fixed value.
    Header(HeaderName, Secret),
    /// A Google access token, renewed before it expires.
    Google(Arc<GoogleAccess>),
}

impl Auth {
    /// Returns `Authorization: Bearer …` if there is a key.
    pub(crate) fn bearer(key: Option<&Secret>) -> Self {
        match key {
            Some(key) => Self::Header(AUTHORIZATION, bearer(key)),
            None => Self::None,
        }
    }

    /// Removes the key from a text of the server: some gateways quote it in errors.
    pub(crate) fn redact(&self, text: String) -> String {
        let Self::Header(_, value) = self else { return text };
        let key = value.expose();
        let key = key.strip_prefix("Bearer ").unwrap_or(key);
        let is_secret = key.chars().nth(MIN_SECRET_CHARACTERS - 1).is_some();
        if is_secret { text.replace(key, "[hidden]") } else { text }
    }

    /// Returns the headers to add.
    pub(crate) async fn headers(&self) -> Result<HeaderMap, ModelError> {
        match self {
            Self::None => Ok(HeaderMap::new()),
            Self::Header(name, value) => Ok(HeaderMap::from_iter([(name.clone(), header(value)?)])),
            Self::Google(access) => {
                let token = access.token().await?;
                Ok(HeaderMap::from_iter([(AUTHORIZATION, header(&bearer(&token))?)]))
            }
        }
    }
}

fn bearer(token: &Secret) -> Secret {
    Secret::new(format!("Bearer {}", token.expose()))
}

fn header(secret: &Secret) -> Result<HeaderValue, ModelError> {
    let mut value = HeaderValue::from_str(secret.expose()).map_err(|_| {
        ModelError::new(
            ModelFailureKind::Credentials,
            "the API key holds characters that no header can carry",
        )
    })?;
    value.set_sensitive(true);
    Ok(value)
}
