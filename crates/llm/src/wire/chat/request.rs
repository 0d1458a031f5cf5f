//! The body of a request.

use serde::Serialize;
use tracing::debug;

use super::messages::{ChatRequestMessage, messages};
use super::thinking::reasoning_effort;
use super::tools::{ChatTool, bound_tools, called_tools};
use super::{ChatCompletions, VENDORS};
use crate::wire::openai::{Transcript, is_reasoning_model};
use crate::wire::{Wire, accepted_stop_sequences};
use crate::{ModelRequest, Settings};

/// The body of a request.
#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    messages: Vec<ChatRequestMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ChatTool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    /// Replaces `max_tokens` for OpenAI's reasoning models.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop: &'static [&'static str],
    stream: bool,
    stream_options: StreamOptions,
}

#[derive(Debug, Serialize)]
struct StreamOptions {
    include_usage: bool,
}

impl<'a> Body<'a> {
    /// Encodes a request.
    pub(super) fn new(settings: &'a Settings, request: &'a ModelRequest) -> Self {
        let transcript = Transcript::new(request, ChatCompletions::NAME, &settings.origin);
        let traits = settings.models.lookup_among(VENDORS, &settings.origin.model);
        let is_reasoning = is_reasoning_model(&traits);
        if request.native_tools.any() {
            debug!("Chat Completions has no native tools; they are not bound");
        }
        let bound = bound_tools(request);
        let called = if bound.is_empty() { called_tools(request) } else { Vec::new() };
        Self {
            model: &settings.origin.model,
            messages: messages(transcript),
            tool_choice: (!called.is_empty()).then_some("none"),
            tools: if bound.is_empty() { called } else { bound },
            reasoning_effort: reasoning_effort(settings, &traits),
            temperature: settings.temperature.filter(|_| !traits.fixed_temperature),
            max_tokens: settings.max_output_tokens.filter(|_| !is_reasoning),
            max_completion_tokens: settings.max_output_tokens.filter(|_| is_reasoning),
            stop: accepted_stop_sequences(&traits, request),
            stream: true,
            stream_options: StreamOptions { include_usage: true },
        }
    }
}
