//! The body of a request.

use serde::Serialize;
use serde_json::Value;
use tarsy_domain::{ModelFailureKind, ModelVendor};

use super::endpoint::GeminiEndpoint;
use super::messages::{ContentList, ContentPart, TurnContent};
use super::thinking::{GeminiThinking, thinking_config};
use super::tools::Tools;
use crate::wire::accepted_stop_sequences;
use crate::{ModelError, ModelRequest, Settings};

/// The body of a request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Body {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<SystemInstruction>,
    contents: Vec<TurnContent>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<Value>,
    generation_config: GenerationConfig,
}

#[derive(Debug, Serialize)]
struct SystemInstruction {
    parts: Vec<ContentPart>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop_sequences: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<GeminiThinking>,
}

/// Encodes a request. Earlier tool calls do not require bound tools, so a forced conclusion can have none.
pub(super) fn body(
    endpoint: &GeminiEndpoint,
    settings: &Settings,
    request: &ModelRequest,
) -> Result<Body, ModelError> {
    let model = settings.origin.model.as_str();
    let traits = settings.models.lookup_among(&[ModelVendor::Google], model);
    let conversation = ContentList::new(&settings.origin, request, traits.signed_tool_calls);
    if conversation.contents.is_empty() {
        let message = "the conversation holds nothing but instructions: Gemini needs a message to answer";
        return Err(ModelError::new(ModelFailureKind::InvalidRequest, message));
    }
    let tools = Tools::new(endpoint, traits.native_tools, request);
    let has_system = !conversation.system.is_empty();
    Ok(Body {
        system_instruction: has_system.then_some(SystemInstruction { parts: conversation.system }),
        contents: conversation.contents,
        tools: tools.tools,
        tool_config: tools.config,
        generation_config: GenerationConfig {
            temperature: settings.temperature,
            max_output_tokens: settings.max_output_tokens,
            stop_sequences: accepted_stop_sequences(&traits, request),
            thinking_config: thinking_config(&traits, settings.thinking),
        },
    })
}
