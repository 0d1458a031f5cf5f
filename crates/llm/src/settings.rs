//! Settings of a model.

use std::fmt;
use std::time::Duration;

use tarsy_domain::{ModelCatalog, Secret, ThinkingLevel};
use url::Url;

use crate::Origin;

/// How to reach a model and how it generates replies.
#[derive(Clone, PartialEq)]
pub struct Settings {
    /// The provider's name in the configuration, and the vendor's name of the model.
    pub origin: Origin,
    /// The base URL of the API, without the path of a call.
    pub base_url: Url,
    /// The API key, if the API needs one; for Vertex AI, the text of a Google credentials file.
    pub api_key: Option<Secret>,
    /// The sampling temperature; `None` for the vendor's default.
    pub temperature: Option<f64>,
    /// Maximum number of tokens in one reply; `None` for the vendor's default.
    pub max_output_tokens: Option<u32>,
    /// How much the model thinks; defaults depend on the model.
    pub thinking: Thinking,
    /// Timeouts.
    pub timeouts: Timeouts,
    /// What is known about models, including the one with this name.
    pub models: ModelCatalog,
    /// Whether the server's certificate is verified.
    pub verify_tls: bool,
}

/// How much a model thinks before it replies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Thinking {
    /// The level.
    pub level: Option<ThinkingLevel>,
    /// The number of tokens.
    pub budget_tokens: Option<u32>,
}

/// Timeouts of a model call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For opening a connection.
    pub connect: Duration,
    /// From sending the request until the first part of the reply. Keep-alive events do not count as a part.
    pub first_chunk: Duration,
    /// Between two events after that, keep-alive events included.
    pub stall: Duration,
    /// From sending the request until the end of the reply.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_chunk: Duration::from_secs(5 * 60),
            stall: Duration::from_secs(60),
            total: Duration::from_secs(15 * 60),
        }
    }
}

/// Leaves out the URL, which may contain a password.
impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Settings")
            .field("origin", &self.origin)
            .field("host", &self.base_url.host_str())
            .field("thinking", &self.thinking)
            .finish_non_exhaustive()
    }
}
