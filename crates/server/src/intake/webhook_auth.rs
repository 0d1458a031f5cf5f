//! Senders of webhooks prove who they are: with a token, or by signing what they send.
//!
//! Comparing takes the same time whatever was sent, so that nobody can guess a secret piece by piece.

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
use crate::access::{Gate, admit};
use crate::body::BodyLimit;

/// The header that holds a signature where nobody says otherwise.
const SIGNATURE: &str = "x-hub-signature-256";

/// A notification. Alertmanager does not try again what is refused as too large, so it is said what can be done.
pub(crate) const NOTIFICATION: BodyLimit = BodyLimit {
    what: "the notification (`max_alerts` in the configuration of Alertmanager makes it smaller)",
    bytes: 1 << 20,
};

/// What senders of webhooks must show; nothing by default.
#[derive(Debug, Clone, Default)]
pub struct Webhooks {
    /// Without it, Alertmanager comes in as any other client does.
    alertmanager: Option<Proof>,
}

/// A proof that is asked for but cannot be checked.
#[derive(Debug, Error)]
pub enum WebhooksError {
    /// The secret is not there.
    #[error(
        "`{variable}`, which `system.webhooks.alertmanager.{key}` names, is not set: set it to the secret of the sender"
    )]
    Missing {
        /// The key of the configuration.
        key: &'static str,
        /// The variable that it names.
        variable: String,
    },
    /// A header cannot be called like that.
    #[error("`system.webhooks.alertmanager.hmac_header`: `{0}` is not the name of a header")]
    Header(String),
}

#[derive(Debug, Clone)]
enum Proof {
    /// A token, of which only the digest is kept.
    Token([u8; 32]),
    /// The body, signed.
    Signature { secret: Secret, header: HeaderName },
}

impl Webhooks {
    /// What a configuration asks for, with the secrets of this environment.
    pub fn new(config: &Config, environment: &Environment) -> Result<Self, WebhooksError> {
        let asked = config.system().webhooks.alertmanager.as_ref();
        Ok(Self { alertmanager: asked.map(|asked| Proof::new(asked, environment)).transpose()? })
    }
}

impl Proof {
    fn new(asked: &WebhookProof, environment: &Environment) -> Result<Self, WebhooksError> {
        if let Some(variable) = &asked.hmac_secret_env {
            let secret = Secret::new(secret_in(variable, "hmac_secret_env", environment)?);
            let name = asked.hmac_header.as_deref().unwrap_or(SIGNATURE);
            let header = name.parse().map_err(|_| WebhooksError::Header(name.to_owned()))?;
            return Ok(Self::Signature { secret, header });
        }
        let variable = asked.bearer_token_env.as_deref().unwrap_or_default();
        let token = secret_in(variable, "bearer_token_env", environment)?;
        Ok(Self::Token(Sha256::digest(token).into()))
    }

    /// Lets a request pass whose sender is who it should be.
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

/// Variables are often filled from files, with the line break that ends them.
fn secret_in(variable: &str, key: &'static str, environment: &Environment) -> Result<String, WebhooksError> {
    let secret = environment.get(variable).unwrap_or_default().trim();
    if secret.is_empty() {
        return Err(WebhooksError::Missing { key, variable: variable.to_owned() });
    }
    Ok(secret.to_owned())
}

fn check_token(expected: [u8; 32], headers: &HeaderMap) -> Result<(), ApiError> {
    let shown = headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes).unwrap_or_default();
    let token = shown.strip_prefix(b"Bearer ").unwrap_or_default();
    let digest: [u8; 32] = Sha256::digest(token).into();
    if bool::from(digest.ct_eq(&expected)) {
        return Ok(());
    }
    Err(ApiError::Unauthenticated("send the token of this webhook as `Authorization: Bearer`".to_owned()))
}

fn signature_in(header: &HeaderName, headers: &HeaderMap) -> Result<Vec<u8>, ApiError> {
    let text = headers.get(header).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let digits = text.strip_prefix("sha256=").unwrap_or(text);
    read_hex(digits).ok_or_else(|| not_signed(header))
}

fn check_signature(
    secret: &Secret,
    header: &HeaderName,
    signature: &[u8],
    body: &[u8],
) -> Result<(), ApiError> {
    let signed = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes());
    let mut signed = signed.map_err(|_| not_signed(header))?;
    signed.update(body);
    signed.verify_slice(signature).map_err(|_| not_signed(header))
}

fn not_signed(header: &HeaderName) -> ApiError {
    let problem = format!("`{header}` must hold the HMAC-SHA256 of the body in hexadecimal digits");
    ApiError::Unauthenticated(problem)
}

fn read_hex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    if digits.is_empty() {
        return None;
    }
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let byte = |pair: &[u8]| match *pair {
        [high, low] => Some(value(high)? << 4 | value(low)?),
        _ => None,
    };
    digits.chunks(2).map(byte).collect()
}

/// The door for Alertmanager.
#[derive(Clone)]
pub(crate) struct WebhookGate {
    pub(crate) webhooks: Arc<Webhooks>,
    /// The door for everybody else, which is taken where no proof is configured.
    pub(crate) gate: Gate,
}

/// Lets a notification through if its sender may send it.
pub(crate) async fn admit_alertmanager(
    State(WebhookGate { webhooks, gate }): State<WebhookGate>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    match &webhooks.alertmanager {
        Some(proof) => Ok(next.run(proof.check(request).await?).await),
        None => admit(State(gate), request, next).await.map_err(patient),
    }
}

/// Alertmanager gives up on a 429 and comes again after a 503.
#[allow(clippy::wildcard_enum_match_arm, reason = "every other error stays what it is")]
fn patient(error: ApiError) -> ApiError {
    match error {
        ApiError::TooMany { problem, retry_after_s } => ApiError::Unavailable { problem, retry_after_s },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_digits_are_read() {
        assert_eq!(read_hex("00ffA1"), Some(vec![0, 255, 0xa1]));
        for wrong in ["", "0", "0g", "\u{e9}\u{e9}"] {
            assert_eq!(read_hex(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_secret_that_is_not_set_is_an_error_that_names_it() {
        for variable in ["", " \n"] {
            let asked =
                WebhookProof { bearer_token_env: Some("TOKEN".to_owned()), ..WebhookProof::default() };
            let environment = [("TOKEN", variable)].into_iter().collect();
            let told = Proof::new(&asked, &environment).err().unwrap().to_string();
            assert_eq!(
                told,
                "`TOKEN`, which `system.webhooks.alertmanager.bearer_token_env` names, is not set: set it to the \
                 secret of the sender"
            );
        }
    }
}
