//! Authentication of webhook senders: by a token or by a signature of the body.
//!
//! Comparisons run in constant time, so that a secret cannot be guessed byte by byte.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tarsy_config::file::WebhookProof;
use tarsy_config::{Config, Environment};
use tarsy_domain::Secret;
use thiserror::Error;

use crate::ApiError;
use crate::access::{RoleGuard, authorize};
use crate::body::BodyLimit;

/// The default header of a signature.
const SIGNATURE: &str = "x-hub-signature-256";

/// The limit of a notification. Alertmanager does not retry after a 413, so the message says what to do.
pub(crate) const NOTIFICATION: BodyLimit = BodyLimit {
    what: "the notification (lower `max_alerts` in the Alertmanager configuration)",
    bytes: 1 << 20,
};

/// How webhook senders are authenticated; not at all by default.
#[derive(Debug, Clone, Default)]
pub struct WebhookAuth {
    /// Without it, Alertmanager is authenticated like any other client.
    alertmanager: Option<SenderCheck>,
}

/// The webhook authentication is misconfigured.
#[derive(Debug, Error)]
pub enum WebhookAuthError {
    /// The secret is missing.
    #[error(
        "environment variable `{variable}` is not set; `system.webhooks.alertmanager.{key}` requires it to contain the secret of \
         the sender"
    )]
    Missing {
        /// The key of the configuration.
        key: &'static str,
        /// The variable that it names.
        variable: String,
    },
    /// The header name is invalid.
    #[error("`system.webhooks.alertmanager.hmac_header`: `{0}` is not a valid header name")]
    Header(String),
}

/// The proof that a request must carry.
#[derive(Debug, Clone)]
enum SenderCheck {
    /// The SHA-256 of a bearer token.
    Token([u8; 32]),
    /// An HMAC of the body.
    Signature { secret: Secret, header: HeaderName },
}

impl WebhookAuth {
    /// Reads the configuration, with secrets from the environment.
    pub fn new(config: &Config, environment: &Environment) -> Result<Self, WebhookAuthError> {
        let settings = config.system().webhooks.alertmanager.as_ref();
        Ok(Self {
            alertmanager: settings.map(|settings| SenderCheck::new(settings, environment)).transpose()?,
        })
    }
}

impl SenderCheck {
    fn new(settings: &WebhookProof, environment: &Environment) -> Result<Self, WebhookAuthError> {
        if let Some(variable) = &settings.hmac_secret_env {
            let secret = Secret::new(secret_in(variable, "hmac_secret_env", environment)?);
            let name = settings.hmac_header.as_deref().unwrap_or(SIGNATURE);
            let header = name.parse().map_err(|_| WebhookAuthError::Header(name.to_owned()))?;
            return Ok(Self::Signature { secret, header });
        }
        let variable = settings.bearer_token_env.as_deref().unwrap_or_default();
        let token = secret_in(variable, "bearer_token_env", environment)?;
        Ok(Self::Token(Sha256::digest(token).into()))
    }

    /// Returns the request if its sender is authenticated.
    async fn check(&self, request: Request) -> Result<Request, ApiError> {
        let (parts, body) = request.into_parts();
        match self {
            Self::Token(expected) => {
                check_token(*expected, &parts.headers)?;
                Ok(Request::from_parts(parts, body))
            }
            Self::Signature { secret, header } => {
                let signature = signature_in(header, &parts.headers)?;
                let bytes = NOTIFICATION.read(body).await?;
                check_signature(secret, header, &signature, &bytes)?;
                Ok(Request::from_parts(parts, Body::from(bytes)))
            }
        }
    }
}

/// Reads a secret and trims it: variables that are filled from files often end with a newline.
fn secret_in(
    variable: &str,
    key: &'static str,
    environment: &Environment,
) -> Result<String, WebhookAuthError> {
    let secret = environment.get(variable).unwrap_or_default().trim();
    if secret.is_empty() {
        return Err(WebhookAuthError::Missing { key, variable: variable.to_owned() });
    }
    Ok(secret.to_owned())
}

fn check_token(expected: [u8; 32], headers: &HeaderMap) -> Result<(), ApiError> {
    let value = headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes).unwrap_or_default();
    let token = value.strip_prefix(b"Bearer ").unwrap_or_default();
    let digest: [u8; 32] = Sha256::digest(token).into();
    if bool::from(digest.ct_eq(&expected)) {
        return Ok(());
    }
    Err(ApiError::Unauthenticated("send the webhook token as `Authorization: Bearer`".to_owned()))
}

fn signature_in(header: &HeaderName, headers: &HeaderMap) -> Result<Vec<u8>, ApiError> {
    let text = headers.get(header).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let digits = text.strip_prefix("sha256=").unwrap_or(text);
    decode_hex(digits).ok_or_else(|| invalid_signature(header))
}

fn check_signature(
    secret: &Secret,
    header: &HeaderName,
    signature: &[u8],
    body: &[u8],
) -> Result<(), ApiError> {
    let signed = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes());
    let mut signed = signed.map_err(|_| invalid_signature(header))?;
    signed.update(body);
    signed.verify_slice(signature).map_err(|_| invalid_signature(header))
}

fn invalid_signature(header: &HeaderName) -> ApiError {
    let problem =
        format!("the header `{header}` must contain the HMAC-SHA256 of the body in hexadecimal digits");
    ApiError::Unauthenticated(problem)
}

fn decode_hex(digits: &str) -> Option<Vec<u8>> {
    hex::decode(digits).ok().filter(|bytes| !bytes.is_empty())
}

/// The state of the middleware [`authorize_alertmanager`].
#[derive(Clone)]
pub(crate) struct WebhookGuard {
    pub(crate) webhooks: Arc<WebhookAuth>,
    /// The role check that applies if no webhook authentication is configured.
    pub(crate) guard: RoleGuard,
}

/// Middleware that authenticates Alertmanager.
pub(crate) async fn authorize_alertmanager(
    State(WebhookGuard { webhooks, guard }): State<WebhookGuard>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    match &webhooks.alertmanager {
        Some(sender) => Ok(next.run(sender.check(request).await?).await),
        None => authorize(State(guard), request, next).await.map_err(retryable),
    }
}

/// Turns a 429 into a 503: Alertmanager retries only after the latter.
#[allow(clippy::wildcard_enum_match_arm, reason = "all other errors are unchanged")]
fn retryable(error: ApiError) -> ApiError {
    match error {
        ApiError::TooMany { problem, retry_after_s } => ApiError::Unavailable { problem, retry_after_s },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_hexadecimal_digits() {
        assert_eq!(decode_hex("00ffA1"), Some(vec![0, 255, 0xa1]));
        for wrong in ["", "0", "0g", "\u{e9}\u{e9}"] {
            assert_eq!(decode_hex(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_missing_secret_is_an_error_that_names_the_variable() {
        for variable in ["", " \n"] {
            let settings =
                WebhookProof { bearer_token_env: Some("TOKEN".to_owned()), ..WebhookProof::default() };
            let environment = [("TOKEN", variable)].into_iter().collect();
            let error = SenderCheck::new(&settings, &environment).err().unwrap().to_string();
            assert_eq!(
                error,
                "environment variable `TOKEN` is not set; `system.webhooks.alertmanager.bearer_token_env` requires it to \
                 contain the secret of the sender"
            );
        }
    }
}
