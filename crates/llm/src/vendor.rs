//! The APIs that models are called with: base URL, authentication and wire of each.

use std::sync::Arc;

use reqwest::header::HeaderName;
use tarsy_domain::{ModelVendor, Secret};
use thiserror::Error;
use url::Url;

use crate::http::{Auth, CredentialsError, GoogleAccess, GoogleCredentials, HttpModel};
use crate::wire::anthropic::Anthropic;
use crate::wire::chat::ChatCompletions;
use crate::wire::gemini::Gemini;
use crate::wire::responses::Responses;
use crate::wire::vertex;
use crate::{Model, Settings};

/// The API of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Vendor {
    /// Google's Gemini API.
    Google,
    /// Google's Vertex AI. Its key is the text of a Google credentials file.
    Vertex {
        /// The project that is billed.
        project: String,
        /// A region, or `global`.
        location: String,
    },
    /// OpenAI's Responses API.
    OpenAi,
    /// Anthropic's Messages API.
    Anthropic,
    /// xAI, which serves Chat Completions.
    Xai,
    /// Any server with the Chat Completions API.
    OpenAiCompatible,
}

/// Why a model cannot be created.
#[derive(Debug, Error)]
pub enum ModelSetupError {
    /// The HTTP client cannot be created.
    #[error("cannot create the HTTP client")]
    Client(#[from] reqwest::Error),
    /// The credentials for Vertex AI are invalid.
    #[error("invalid Google credentials for Vertex AI")]
    Credentials(#[from] CredentialsError),
}

impl Vendor {
    /// Returns the default base URL, if the API has one.
    pub fn default_base_url(&self) -> Option<Url> {
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

    /// Creates a model. No request is sent.
    pub fn model(&self, settings: Settings) -> Result<Arc<dyn Model>, ModelSetupError> {
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
                Arc::new(HttpModel::new(settings, ChatCompletions::new(), auth)?)
            }
        })
    }
}

/// Creates a model of Vertex AI, which serves models of several vendors, each with its vendor's API.
fn vertex_model(
    project: &str,
    location: &str,
    settings: Settings,
) -> Result<Arc<dyn Model>, ModelSetupError> {
    let auth = google_access(settings.api_key.as_ref())?;
    let (project, location) = (project.to_owned(), location.to_owned());
    if settings.models.lookup(&settings.origin.model).vendor == Some(ModelVendor::Anthropic) {
        return Ok(Arc::new(HttpModel::new(settings, Anthropic::vertex(project, location), auth)?));
    }
    Ok(Arc::new(HttpModel::new(settings, Gemini::vertex(project, location), auth)?))
}

fn google_access(credentials: Option<&Secret>) -> Result<Auth, ModelSetupError> {
    let Some(credentials) = credentials else { return Ok(Auth::None) };
    let credentials = GoogleCredentials::parse(credentials)?;
    Ok(Auth::Google(Arc::new(GoogleAccess::new(credentials)?)))
}

fn key_header(name: &'static str, key: Option<&Secret>) -> Auth {
    key.map_or(Auth::None, |key| Auth::Header(HeaderName::from_static(name), key.clone()))
}
