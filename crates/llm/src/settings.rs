//! How a model is reached and how it is to behave.

use std::fmt;
use std::time::Duration;

use tarsy_domain::Secret;
use url::Url;

use crate::Origin;

/// Everything about a model but the conversation.
#[derive(Clone, PartialEq)]
pub struct Settings {
    /// The provider's name in the configuration, and the vendor's name of the model.
    pub origin: Origin,
    /// Where the interface is served, without the path of a call.
    pub base_url: Url,
    /// The key, where one is needed; for Vertex AI, the text of a Google credentials file.
    pub api_key: Option<Secret>,
    /// How freely the model writes; the vendor's default without it.
    pub temperature: Option<f64>,
    /// Tokens the model may write in one reply; the vendor's default without it.
    pub max_output_tokens: Option<u32>,
    /// How much the model thinks; chosen by the model's name where it says nothing.
    pub thinking: Thinking,
    /// How long to wait for what.
    pub timeouts: Timeouts,
    /// Whether the server's certificate is checked.
    pub verify_tls: bool,
}

/// How much a model thinks before it answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Thinking {
    /// How hard.
    pub level: Option<ThinkingLevel>,
    /// With how many tokens.
    pub budget_tokens: Option<u32>,
}

/// How hard a model thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThinkingLevel {
    /// Not at all, where that can be chosen.
    Off,
    /// A little.
    Low,
    /// Enough for most.
    Medium,
    /// As much as it takes.
    High,
}

/// How long to wait for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection.
    pub connect: Duration,
    /// For the first part of a reply, from sending; that a vendor works on it is no part of it.
    pub first_chunk: Duration,
    /// For each further event, signs of life among them.
    pub stall: Duration,
    /// For a whole reply, from sending.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_chunk: Duration::from_secs(120),
            stall: Duration::from_secs(60),
            total: Duration::from_secs(15 * 60),
        }
    }
}

/// An address may hold a password, so it is left out.
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
