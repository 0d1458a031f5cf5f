//! The body of a request.

use serde::Serialize;
use serde_json::{Map, Value};
use tarsy_domain::ToolDefinition;
use tracing::debug;

use super::Responses;
use super::messages::{Input, input};
use crate::names::wire_name;
use crate::wire::Wire;
use crate::wire::openai::{OpenAiModel, Transcript, flatten_top, parameters};
use crate::{ModelRequest, Settings};

/// What is sent.
#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    instructions: String,
    input: Vec<Input<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    /// What to add to the answer: reasoning in a form that can be sent back. Models that do not reason refuse it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    include: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    stream: bool,
    store: bool,
}

#[derive(Debug, Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    name: String,
    description: &'a str,
    parameters: Map<String, Value>,
    /// Said even though it is false: without it the vendor rewrites the schema.
    strict: bool,
}

#[derive(Debug, Serialize)]
struct Reasoning {
    effort: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'static str>,
}

impl<'a> Body<'a> {
    pub(super) fn new(settings: &'a Settings, request: &'a ModelRequest) -> Self {
        let transcript = Transcript::new(request, Responses::NAME, &settings.origin);
        let model = OpenAiModel::named(&settings.origin.model);
        let reasoning = reasoning(model, settings);
        if request.native_tools.any() {
            debug!("the vendor's own tools are not used with the Responses API");
        }
        Self {
            model: &settings.origin.model,
            instructions: transcript.instructions,
            input: input(transcript.turns),
            tools: request.tools.iter().map(|definition| tool(definition)).collect(),
            include: reasoning.iter().map(|_| "reasoning.encrypted_content").collect(),
            reasoning,
            temperature: settings.temperature.filter(|_| !model.reasons()),
            max_output_tokens: settings.max_output_tokens,
            stream: true,
            store: false,
        }
    }
}

fn reasoning(model: OpenAiModel, settings: &Settings) -> Option<Reasoning> {
    if settings.thinking.budget_tokens.is_some() {
        debug!("OpenAI's models take an effort, not a budget of thinking tokens");
    }
    let effort = model.effort(settings.thinking.level)?;
    Some(Reasoning { effort, summary: (effort != "none").then_some("auto") })
}

fn tool(tool: &ToolDefinition) -> Tool<'_> {
    Tool {
        r#type: "function",
        name: wire_name(&tool.name),
        description: &tool.description,
        parameters: flatten_top(parameters(&tool.input_schema), &tool.name),
        strict: false,
    }
}
