//! The vendors: where each is reached, how it knows who asks, and which wire format it speaks.

use std::sync::Arc;

use reqwest::header::HeaderName;
use tarsy_domain::Secret;
use thiserror::Error;
use url::Url;

use crate::http::{Auth, CredentialsError, GoogleAccess, GoogleCredentials, HttpModel};
use crate::wire::anthropic::Anthropic;
use crate::wire::chat::Chat;
use crate::wire::gemini::Gemini;
use crate::wire::responses::Responses;
use crate::wire::vertex;
use crate::{Model, Settings};

/// Whose interface a model has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Vendor {
    /// Google's Gemini API.
    Google,
    /// Google's Vertex AI, whose key is the text of a Google credentials file.
    Vertex {
        /// The project that pays.
        project: String,
        /// Where the model runs: a region, or `global`.
        location: String,
    },
    /// OpenAI's Responses API.
    OpenAi,
    /// Anthropic's Messages API.
    Anthropic,
    /// xAI, which speaks Chat Completions.
    Xai,
    /// Any server that speaks Chat Completions.
    OpenAiCompatible,
}

/// A model that cannot be set up.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// The HTTP client.
    #[error("setting up the HTTP client")]
    Client(#[from] reqwest::Error),
    /// The credentials for Vertex AI.
    #[error("the credentials for Vertex AI cannot be used")]
    Credentials(#[from] CredentialsError),
}

impl Vendor {
    /// Where the vendor is reached, if it has one place.
    pub fn usual_base_url(&self) -> Option<Url> {
        let url = match self {
            Self::Google => "https://generativelanguage.googleapis.com/",
            Self::Vertex { location, .. } => return vertex::base_url(location),
            Self::OpenAi => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/",
            Self::Xai => "https://api.x.ai/v1/",
            Self::OpenAiCompatible => return None,
        };
        Url::parse(url).ok()
    }

    /// A model of this vendor. Nothing is sent yet.
    pub fn model(&self, settings: Settings) -> Result<Arc<dyn Model>, ConnectError> {
        let key = settings.api_key.as_ref();
        Ok(match self {
            Self::Google => {
                let auth = key_header("x-goog-api-key", key);
                Arc::new(HttpModel::new(settings, Gemini::studio(), auth)?)
            }
            Self::Vertex { project, location } => return vertex_model(project, location, settings),
            Self::OpenAi => {
                let auth = Auth::bearer(key);
                Arc::new(HttpModel::new(settings, Responses::new(), auth)?)
            }
            Self::Anthropic => {
                let auth = key_header("x-api-key", key);
                Arc::new(HttpModel::new(settings, Anthropic::direct(), auth)?)
            }
            Self::Xai | Self::OpenAiCompatible => {
                let auth = Auth::bearer(key);
                Arc::new(HttpModel::new(settings, Chat::new(), auth)?)
            }
        })
    }
}

/// Vertex AI serves models of several makers, each in its maker's own format.
fn vertex_model(project: &str, location: &str, settings: Settings) -> Result<Arc<dyn Model>, ConnectError> {
    let auth = google_access(settings.api_key.as_ref())?;
    let (project, location) = (project.to_owned(), location.to_owned());
    if settings.origin.model.starts_with("claude-") {
        return Ok(Arc::new(HttpModel::new(settings, Anthropic::vertex(project, location), auth)?));
    }
    Ok(Arc::new(HttpModel::new(settings, Gemini::vertex(project, location), auth)?))
}

fn google_access(credentials: Option<&Secret>) -> Result<Auth, ConnectError> {
    let Some(credentials) = credentials else { return Ok(Auth::None) };
    let credentials = GoogleCredentials::read(credentials)?;
    Ok(Auth::Google(Arc::new(GoogleAccess::new(credentials)?)))
}

fn key_header(name: &'static str, key: Option<&Secret>) -> Auth {
    key.map_or(Auth::None, |key| Auth::Header(HeaderName::from_static(name), key.clone()))
}
