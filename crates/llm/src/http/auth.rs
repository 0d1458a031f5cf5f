//! How a request proves who sends it.

use std::sync::Arc;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use tarsy_domain::{ModelFailureKind, Secret};

use super::google::GoogleAccess;
use crate::ModelError;

/// Credentials, added to a request at the last moment.
#[derive(Debug, Clone)]
pub(crate) enum Auth {
    /// Nobody asks.
    None,
    /// A header with a fixed value.
    Header(HeaderName, Secret),
    /// A token of Google's, renewed in time.
    Google(Arc<GoogleAccess>),
}

impl Auth {
    /// `Authorization: Bearer …`, where there is a key.
    pub(crate) fn bearer(key: Option<&Secret>) -> Self {
        match key {
            Some(key) => Self::Header(AUTHORIZATION, bearer(key)),
            None => Self::None,
        }
    }

    /// A text that came from outside, without the key: some gateways repeat it in their errors.
    pub(crate) fn hide_in(&self, text: String) -> String {
        let Self::Header(_, value) = self else { return text };
        let key = value.expose();
        let key = key.strip_prefix("Bearer ").unwrap_or(key);
        if key.is_empty() { text } else { text.replace(key, "[hidden]") }
    }

    /// The headers to add.
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
