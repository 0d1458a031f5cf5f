//! The outcome of a model call: a reply or a classified failure.
//!
//! Both are complete values; streams are assembled before they become one of them.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::conversation::usage::TokenUsage;
use crate::string_enum::string_enum;
use crate::tool::ToolCall;

/// A model's complete reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ModelReply {
    /// The text.
    pub text: String,
    /// The visible part of the model's reasoning.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thinking: String,
    /// The requested tool calls, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Code that the vendor executed for the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code_executions: Vec<CodeExecution>,
    /// Web search results that the reply is based on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groundings: Vec<Grounding>,
    /// The provider's opaque reasoning state, as JSON text, to be sent back with the next request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_state: Option<String>,
    /// Whether the text ends where the model reached its output limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_off: bool,
    /// Token usage of the call.
    pub usage: TokenUsage,
}

/// Code that the vendor executed, with its output.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CodeExecution {
    /// The source code.
    pub code: String,
    /// The output or the error.
    pub result: String,
}

/// Web sources that a reply is based on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Grounding {
    /// The search queries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
    /// The sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<GroundingSource>,
    /// Which part of the text is based on which sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<GroundingSupport>,
    /// The vendor's rendering of the search, as untrusted HTML.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub search_entry_point_html: String,
}

/// A web page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GroundingSource {
    /// Its URI.
    pub uri: String,
    /// Its title.
    pub title: String,
}

/// A part of a text and the sources it is based on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GroundingSupport {
    /// Start of the part, as a byte offset.
    pub start_index: u32,
    /// End of the part, as a byte offset.
    pub end_index: u32,
    /// The text of the part.
    pub text: String,
    /// Indices into the list of sources.
    pub source_indices: Vec<u32>,
}

/// A failed model call.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{message}")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ModelFailure {
    /// The kind of failure.
    pub kind: ModelFailureKind,
    /// The error message.
    pub message: String,
    /// The text received before the stream broke.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub partial_text: String,
    /// The delay in milliseconds that the provider requests before the next call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Token usage, as far as the provider reported it.
    #[serde(default)]
    pub usage: TokenUsage,
}

string_enum! {
    /// Why a model call failed.
    pub enum ModelFailureKind {
        /// The account's request or token limit was exceeded.
        RateLimit = "rate_limit",
        /// The provider is overloaded.
        Overloaded = "overloaded",
        /// No connection, no first chunk or no further chunk before the timeout.
        Timeout = "timeout",
        /// The connection broke.
        Network = "network",
        /// The key is missing, invalid or lacks permission.
        Credentials = "credentials",
        /// The provider rejected the request.
        InvalidRequest = "invalid_request",
        /// The conversation exceeds the model's context window.
        ContextTooLong = "context_too_long",
        /// The provider withheld the reply.
        ContentFiltered = "content_filtered",
        /// The reply was empty.
        EmptyReply = "empty_reply",
        /// The model repeated itself and was stopped.
        Repetition = "repetition",
        /// The response was malformed.
        ProviderBug = "provider_bug",
    }
}
