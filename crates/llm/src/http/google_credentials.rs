//! Google credentials, and the token request for each kind.
//!
//! <https://developers.google.com/identity/protocols/oauth2/service-account#httprest>

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde::{Deserialize, Serialize};
use tarsy_domain::{ModelFailureKind, Secret};
use thiserror::Error;
use url::Url;
use url::form_urlencoded::Serializer;

use crate::ModelError;

const DEFAULT_TOKEN_URL: &str = "https://oauth2.googleapis.com/token";
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
/// The kind for the identity of the machine. No credentials file has this kind.
const METADATA_SERVER: &str = "metadata_server";
const GRANT_LIFETIME_SECONDS: u64 = 3600;

/// Credentials that can be exchanged for access tokens.
pub(crate) enum GoogleCredentials {
    /// A service account.
    ServiceAccount {
        /// The email address of the account.
        email: String,
        /// The id of the key.
        key_id: Option<String>,
        /// The private key.
        key: EncodingKey,
        /// The URL of the token endpoint.
        token_url: Url,
    },
    /// A user who signed in with `gcloud`.
    User {
        /// The id of the OAuth client.
        client_id: String,
        /// The secret of the OAuth client.
        client_secret: Secret,
        /// The refresh token of the user.
        refresh_token: Secret,
        /// The URL of the token endpoint.
        token_url: Url,
    },
    /// The identity of the machine, provided by the metadata server of Google Cloud.
    Machine {
        /// The URL of the token endpoint.
        token_url: Url,
    },
}

/// Why credentials cannot be used.
#[derive(Debug, Error)]
pub enum CredentialsError {
    /// Not a credentials file.
    #[error("not a valid Google credentials file: {0}")]
    Invalid(String),
    /// An unsupported kind.
    #[error("credentials of type {0:?} are not supported; use service_account or authorized_user")]
    UnknownKind(String),
    /// An invalid key.
    #[error("private_key is not an RSA key in PEM format")]
    Key,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum CredentialsFile {
    ServiceAccount {
        client_email: String,
        private_key: Secret,
        private_key_id: Option<String>,
        token_uri: Option<String>,
    },
    AuthorizedUser {
        client_id: String,
        client_secret: Secret,
        refresh_token: Secret,
        token_uri: Option<String>,
    },
    MetadataServer {
        host: String,
    },
}

#[derive(Serialize)]
struct GrantClaims<'a> {
    iss: &'a str,
    scope: &'static str,
    aud: &'a str,
    iat: u64,
    exp: u64,
}

impl GoogleCredentials {
    /// Parses the text of a credentials file.
    pub(crate) fn parse(text: &Secret) -> Result<Self, CredentialsError> {
        // JSON errors can quote the text, so only positions and missing fields are reported.
        let invalid = |error: &serde_json::Error| {
            CredentialsError::Invalid(format!("line {}, column {}", error.line(), error.column()))
        };
        let value: serde_json::Value =
            serde_json::from_str(text.expose()).map_err(|error| invalid(&error))?;
        let kind = value.get("type").and_then(serde_json::Value::as_str).unwrap_or_default();
        if !["service_account", "authorized_user", METADATA_SERVER].contains(&kind) {
            return Err(CredentialsError::UnknownKind(kind.to_owned()));
        }
        let file = serde_json::from_value(value);
        Self::from_file(file.map_err(|error| CredentialsError::Invalid(error.to_string()))?)
    }

    fn from_file(file: CredentialsFile) -> Result<Self, CredentialsError> {
        Ok(match file {
            CredentialsFile::ServiceAccount { client_email, private_key, private_key_id, token_uri } => {
                let key = EncodingKey::from_rsa_pem(private_key.expose().as_bytes());
                Self::ServiceAccount {
                    email: client_email,
                    key_id: private_key_id,
                    key: key.map_err(|_| CredentialsError::Key)?,
                    token_url: token_url(token_uri.as_deref())?,
                }
            }
            CredentialsFile::AuthorizedUser { client_id, client_secret, refresh_token, token_uri } => {
                Self::User {
                    client_id,
                    client_secret,
                    refresh_token,
                    token_url: token_url(token_uri.as_deref())?,
                }
            }
            CredentialsFile::MetadataServer { host } => {
                let address =
                    format!("http://{host}/computeMetadata/v1/instance/service-accounts/default/token");
                Self::Machine { token_url: token_url(Some(&address))? }
            }
        })
    }

    /// Returns the URL of the token endpoint.
    pub(crate) fn token_url(&self) -> &Url {
        match self {
            Self::ServiceAccount { token_url, .. }
            | Self::User { token_url, .. }
            | Self::Machine { token_url } => token_url,
        }
    }

    /// Returns the form to send there; `None` for the metadata server, which needs no proof of identity.
    pub(crate) fn grant(&self, now: SystemTime) -> Result<Option<String>, ModelError> {
        let mut form = Serializer::new(String::new());
        match self {
            Self::ServiceAccount { email, key_id, key, token_url } => {
                let header = Header { kid: key_id.clone(), ..Header::new(Algorithm::RS256) };
                let claims = GrantClaims::new(email, token_url, now);
                let assertion =
                    jsonwebtoken::encode(&header, &claims, key).map_err(|error| signing_error(&error))?;
                form.append_pair("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer");
                form.append_pair("assertion", &assertion);
            }
            Self::User { client_id, client_secret, refresh_token, .. } => {
                form.append_pair("grant_type", "refresh_token");
                form.append_pair("client_id", client_id);
                form.append_pair("client_secret", client_secret.expose());
                form.append_pair("refresh_token", refresh_token.expose());
            }
            Self::Machine { .. } => return Ok(None),
        }
        Ok(Some(form.finish()))
    }
}

fn token_url(given: Option<&str>) -> Result<Url, CredentialsError> {
    let given = given.unwrap_or(DEFAULT_TOKEN_URL);
    Url::parse(given).map_err(|error| CredentialsError::Invalid(format!("token_uri: {error}")))
}

impl<'a> GrantClaims<'a> {
    fn new(email: &'a str, token_url: &'a Url, now: SystemTime) -> Self {
        let iat = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self { iss: email, scope: SCOPE, aud: token_url.as_str(), iat, exp: iat + GRANT_LIFETIME_SECONDS }
    }
}

impl fmt::Display for GoogleCredentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ServiceAccount { email, .. } => write!(formatter, "the service account {email}"),
            Self::User { client_id, .. } => write!(formatter, "the user of the client {client_id}"),
            Self::Machine { .. } => write!(formatter, "the service account of this machine"),
        }
    }
}

fn signing_error(error: &jsonwebtoken::errors::Error) -> ModelError {
    let message = format!("the private_key of the credentials cannot sign: {error}");
    ModelError::new(ModelFailureKind::Credentials, message)
}
