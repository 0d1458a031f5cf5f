//! The body of a request.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Map, Value, json};
use tracing::debug;

use super::Chat;
use super::messages::{ChatMessage, messages};
use super::thinking::effort;
use crate::names::wire_name;
use crate::wire::Wire;
use crate::wire::openai::{OpenAiModel, Transcript, parameters};
use crate::{ModelRequest, Settings};

/// What is sent.
#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    messages: Vec<ChatMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    /// What OpenAI's reasoning models want instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    stream: bool,
    stream_options: StreamOptions,
}

#[derive(Debug, Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Debug, Serialize)]
struct Tool {
    r#type: &'static str,
    function: Function,
}

#[derive(Debug, Serialize)]
struct Function {
    name: String,
    description: String,
    parameters: Map<String, Value>,
}

impl<'a> Body<'a> {
    pub(super) fn new(settings: &'a Settings, request: &'a ModelRequest) -> Self {
        let transcript = Transcript::new(request, Chat::NAME, &settings.origin);
        let model = OpenAiModel::named(&settings.origin.model);
        if request.native_tools.any() {
            debug!("a Chat Completions server has no tools of its own to switch on");
        }
        let bound = bound_tools(request);
        let past = if bound.is_empty() { past_tools(request) } else { Vec::new() };
        Self {
            model: &settings.origin.model,
            messages: messages(transcript),
            tool_choice: (!past.is_empty()).then_some("none"),
            tools: if bound.is_empty() { past } else { bound },
            reasoning_effort: effort(settings),
            temperature: settings.temperature.filter(|_| !model.reasons()),
            max_tokens: settings.max_output_tokens.filter(|_| !model.reasons()),
            max_completion_tokens: settings.max_output_tokens.filter(|_| model.reasons()),
            stream: true,
            stream_options: StreamOptions { include_usage: true },
        }
    }
}

fn bound_tools(request: &ModelRequest) -> Vec<Tool> {
    let tools = request.tools.iter();
    tools.map(|bound| tool(&bound.name, &bound.description, &bound.input_schema)).collect()
}

/// The tools that were called, by name only. Gateways to Anthropic and Bedrock refuse a conversation with calls of
/// tools that the request does not define, even if none is to be called any more.
fn past_tools(request: &ModelRequest) -> Vec<Tool> {
    let mut seen = HashSet::new();
    let calls = request.messages.iter().flat_map(|message| &message.tool_calls);
    let names = calls.map(|call| call.name.as_str()).filter(|name| seen.insert(*name));
    names.map(|name| tool(name, "No longer available; do not call it.", &json!({}))).collect()
}

fn tool(name: &str, description: &str, schema: &Value) -> Tool {
    let function = Function {
        name: wire_name(name),
        description: description.to_owned(),
        parameters: parameters(schema),
    };
    Tool { r#type: "function", function }
}
