//! The body of a request.
//!
//! Cache breakpoints are set on the tools, the instructions and the last two user messages, so that an
//! iteration of a long loop pays only for what is new in it. The API allows at most four breakpoints.

use serde::Serialize;
use serde_json::Value;
use tarsy_domain::{InterleavedThinking, ModelFailureKind, ModelVendor};

use super::endpoint::AnthropicEndpoint;
use super::messages::{MessageList, TextBlock, WireMessage};
use super::thinking::{GenerationOptions, ThinkingMode};
use super::tools::{ToolChoice, Tools};
use crate::wire::accepted_stop_sequences;
use crate::{ModelError, ModelRequest, Settings};

const VERTEX_VERSION: &str = "vertex-2023-10-16";
const INTERLEAVED_THINKING: &str = "interleaved-thinking-2025-05-14";
const COMPACTION: &str = "compact-2026-01-12";
const BINDING_CONTROLS: &str = "thinking-binding-controls-2026-08-01";

/// The body, and the beta features that the header must name for it.
#[derive(Debug, Serialize)]
pub(super) struct Body {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    anthropic_version: Option<&'static str>,
    stream: bool,
    #[serde(flatten)]
    options: GenerationOptions,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop_sequences: &'static [&'static str],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<ToolChoice>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<TextBlock>,
    messages: Vec<WireMessage>,
    /// Beta features that this body uses.
    #[serde(skip)]
    betas: Vec<&'static str>,
}

impl Body {
    /// Encodes a request.
    pub(super) fn new(
        endpoint: &AnthropicEndpoint,
        settings: &Settings,
        request: &ModelRequest,
    ) -> Result<Self, ModelError> {
        let traits = settings.models.lookup_among(&[ModelVendor::Anthropic], &settings.origin.model);
        let conversation = MessageList::new(request, &settings.origin);
        if conversation.messages.is_empty() {
            let message = "the conversation holds nothing for the model to answer; a user message is needed";
            return Err(ModelError::new(ModelFailureKind::InvalidRequest, message));
        }
        let options = GenerationOptions::new(settings, &traits, conversation.continuation())?;
        let tools = Tools::new(request);
        let mut betas = tools.betas;
        let interleaved = traits.thinking.as_ref().and_then(|thinking| thinking.interleaved);
        betas.extend(thinking_beta(endpoint, &options, interleaved));
        betas.extend(conversation.has_compaction().then_some(COMPACTION));
        let model = settings.origin.model.clone();
        let (model, anthropic_version) = match endpoint {
            AnthropicEndpoint::Direct => (Some(model), None),
            AnthropicEndpoint::Vertex { .. } => (None, Some(VERTEX_VERSION)),
        };
        Ok(Self {
            model,
            anthropic_version,
            stream: true,
            options,
            stop_sequences: accepted_stop_sequences(&traits, request),
            tools: tools.definitions,
            tool_choice: tools.choice,
            system: conversation.system,
            messages: conversation.messages,
            betas,
        })
    }

    /// Returns the beta features to name in the header.
    pub(super) fn betas(&self) -> Vec<&'static str> {
        self.betas.clone()
    }
}

/// Returns the beta feature for thinking. Vertex AI rejects a request that names a feature which the model
/// does not have there; Anthropic ignores it.
fn thinking_beta(
    endpoint: &AnthropicEndpoint,
    options: &GenerationOptions,
    interleaved: Option<InterleavedThinking>,
) -> Option<&'static str> {
    match &options.thinking {
        Some(ThinkingMode::Enabled { .. }) => match (interleaved?, endpoint) {
            (InterleavedThinking::Direct, AnthropicEndpoint::Direct)
            | (InterleavedThinking::Everywhere, _) => Some(INTERLEAVED_THINKING),
            (InterleavedThinking::Never, _)
            | (InterleavedThinking::Direct, AnthropicEndpoint::Vertex { .. }) => None,
        },
        Some(ThinkingMode::Adaptive { block_binding: Some(_), .. }) => Some(BINDING_CONTROLS),
        Some(
            ThinkingMode::Adaptive { block_binding: None, .. }
            | ThinkingMode::BetweenTools
            | ThinkingMode::Disabled,
        )
        | None => None,
    }
}
