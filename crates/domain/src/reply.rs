//! What comes of a model call: a reply, or a failure that says what kind it is.
//!
//! Both are complete: a stream of chunks has been put together before it becomes one of them.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::tool::ToolCall;
use crate::usage::TokenUsage;
use crate::string_enum::string_enum;

/// A model's complete reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ModelReply {
    /// What it said.
    pub text: String,
    /// What it showed of its own reasoning.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thinking: String,
    /// The bound tools it asks for, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Code that the vendor ran for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code_executions: Vec<CodeExecution>,
    /// What it found on the web and where.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groundings: Vec<Grounding>,
    /// The provider's opaque reasoning state, as JSON text, to be sent back on the next turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_state: Option<String>,
    /// What the call cost.
    pub usage: TokenUsage,
}

/// Code that a model's vendor ran, and what it printed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CodeExecution {
    /// The program.
    pub code: String,
    /// Its output, or how it failed.
    pub result: String,
}

/// Sources on the web that a reply rests on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Grounding {
    /// What was searched for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
    /// The sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<GroundingSource>,
    /// Which part of the text rests on which sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<GroundingSupport>,
    /// The vendor's own rendering of the search, as HTML, which is not to be trusted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub search_entry_point_html: String,
}

/// A page on the web.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GroundingSource {
    /// Where it is.
    pub uri: String,
    /// What it is called.
    pub title: String,
}

/// A part of a text and the sources it rests on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GroundingSupport {
    /// Where the part begins, in bytes.
    pub start_index: u32,
    /// Where it ends, in bytes.
    pub end_index: u32,
    /// The part itself.
    pub text: String,
    /// Places in the list of sources.
    pub source_indices: Vec<u32>,
}

/// A model call without a reply.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{message}")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ModelFailure {
    /// What kind of failure it is.
    pub kind: ModelFailureKind,
    /// What happened, for people.
    pub message: String,
    /// What had arrived before a stream broke.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub partial_text: String,
    /// What the call cost, as far as the provider said.
    #[serde(default)]
    pub usage: TokenUsage,
}

string_enum! {
    /// Why a model call gave no reply.
    pub enum ModelFailureKind {
        /// Too many requests or tokens for the account.
        RateLimit = "rate_limit",
        /// The provider has too much to do.
        Overloaded = "overloaded",
        /// No connection, no first chunk or no further chunk in time.
        Timeout = "timeout",
        /// The connection broke.
        Network = "network",
        /// The key is missing, wrong or not allowed to do this.
        Credentials = "credentials",
        /// The provider does not accept the request.
        InvalidRequest = "invalid_request",
        /// The conversation is larger than the model's window.
        ContextTooLong = "context_too_long",
        /// The provider withheld the reply.
        ContentFiltered = "content_filtered",
        /// The reply held nothing.
        EmptyReply = "empty_reply",
        /// The model repeated itself without end and was stopped.
        Repetition = "repetition",
        /// The answer could not be understood.
        ProviderBug = "provider_bug",
    }
}
