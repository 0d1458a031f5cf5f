//! One part of a recorded reply.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::is_zero;
use crate::conversation::reply::{CodeExecution, Grounding};
use crate::conversation::usage::TokenUsage;
use crate::tool::ToolCall;

/// One part of a reply. Exactly one of the fields other than `after_ms` is set; [`Cassette::check`] verifies it.
///
/// [`Cassette::check`]: super::Cassette::check
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CassetteChunk {
    /// Text of the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Reasoning text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// A tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call: Option<CassetteToolCall>,
    /// Code that the vendor executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_execution: Option<CodeExecution>,
    /// Web sources of the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounding: Option<Grounding>,
    /// Set to `true` where the reply ends because the model reached its output limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_off: Option<bool>,
    /// Token counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<CassetteUsage>,
    /// The provider's opaque state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The delay before the chunk, in milliseconds.
    #[serde(skip_serializing_if = "is_zero")]
    pub after_ms: u64,
}

/// A tool call that a model requested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CassetteToolCall {
    /// The id of the call. Without it, one is derived from the position of the chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool, `server.tool`.
    pub name: String,
    /// The arguments: a mapping, or the text that the model wrote.
    #[serde(default)]
    pub arguments: Value,
}

/// Token counts; missing counts are 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CassetteUsage {
    /// Tokens sent to the model, cached ones included.
    pub input_tokens: u64,
    /// Tokens the model wrote, thinking included.
    pub output_tokens: u64,
    /// The part of the output that was thinking.
    pub thinking_tokens: u64,
    /// The part of the input that came from the provider's cache.
    pub cached_tokens: u64,
}

impl CassetteChunk {
    /// Creates a chunk of text.
    pub fn text(text: String) -> Self {
        Self { text: Some(text), ..Self::default() }
    }

    /// Creates a chunk of reasoning text.
    pub fn thinking(thinking: String) -> Self {
        Self { thinking: Some(thinking), ..Self::default() }
    }

    /// Creates a chunk with a tool call.
    pub fn tool_call(call: CassetteToolCall) -> Self {
        Self { tool_call: Some(call), ..Self::default() }
    }

    /// Creates a chunk with code that the vendor executed.
    pub fn code_execution(execution: CodeExecution) -> Self {
        Self { code_execution: Some(execution), ..Self::default() }
    }

    /// Creates a chunk with web sources.
    pub fn grounding(grounding: Grounding) -> Self {
        Self { grounding: Some(grounding), ..Self::default() }
    }

    /// Creates a chunk that marks a reply as cut off.
    pub fn cut_off() -> Self {
        Self { cut_off: Some(true), ..Self::default() }
    }

    /// Creates a chunk with token counts.
    pub fn usage(usage: TokenUsage) -> Self {
        Self { usage: Some(usage.into()), ..Self::default() }
    }

    /// Creates a chunk with the provider's opaque state.
    pub fn state(state: String) -> Self {
        Self { state: Some(state), ..Self::default() }
    }

    /// Returns how many of the mutually exclusive fields are set.
    pub(super) fn content_count(&self) -> usize {
        [
            self.text.is_some(),
            self.thinking.is_some(),
            self.tool_call.is_some(),
            self.code_execution.is_some(),
            self.grounding.is_some(),
            self.cut_off.is_some(),
            self.usage.is_some(),
            self.state.is_some(),
        ]
        .into_iter()
        .filter(|is_set| *is_set)
        .count()
    }
}

impl CassetteToolCall {
    /// Keeps the arguments as the text that the model wrote.
    pub fn verbatim(call: ToolCall) -> Self {
        let ToolCall { id, name, arguments } = call;
        Self { id: Some(id), name, arguments: Value::String(arguments) }
    }

    /// Turns the arguments into a mapping, which is easier to read and edit, if the same text can be restored from it.
    pub fn readable(call: &ToolCall) -> Self {
        let mapping = serde_json::from_str::<Value>(&call.arguments).ok();
        let mapping = mapping.filter(|mapping| {
            let serialized = mapping.to_string();
            mapping.is_object() && serialized == call.arguments
        });
        let arguments = mapping.unwrap_or_else(|| Value::String(call.arguments.clone()));
        Self { id: Some(call.id.clone()), name: call.name.clone(), arguments }
    }

    /// Returns the call. `position` makes an id unique if the cassette has none.
    pub fn to_call(&self, position: &str) -> ToolCall {
        let arguments = match &self.arguments {
            Value::Null => "{}".to_owned(),
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                self.arguments.to_string()
            }
        };
        let id = self.id.clone().unwrap_or_else(|| format!("call-{position}"));
        ToolCall { id, name: self.name.clone(), arguments }
    }
}

impl From<TokenUsage> for CassetteUsage {
    fn from(usage: TokenUsage) -> Self {
        let TokenUsage { input_tokens, output_tokens, thinking_tokens, cached_tokens } = usage;
        Self { input_tokens, output_tokens, thinking_tokens, cached_tokens }
    }
}

impl From<CassetteUsage> for TokenUsage {
    fn from(usage: CassetteUsage) -> Self {
        let CassetteUsage { input_tokens, output_tokens, thinking_tokens, cached_tokens } = usage;
        Self { input_tokens, output_tokens, thinking_tokens, cached_tokens }
    }
}
