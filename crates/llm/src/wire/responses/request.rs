//! The body of a request.

use serde::Serialize;
use tarsy_domain::ModelVendor;
use tracing::debug;

use super::Responses;
use super::messages::{InputItem, input_items};
use super::thinking::{ReasoningOptions, reasoning};
use super::tools::ResponsesTool;
use crate::wire::Wire;
use crate::wire::openai::Transcript;
use crate::{ModelRequest, Settings};

/// The body of a request.
#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    instructions: String,
    input: Vec<InputItem<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ResponsesTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<ReasoningOptions>,
    /// Requests reasoning in a form that can be sent back. Models that do not reason reject it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    include: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    stream: bool,
    store: bool,
}

impl<'a> Body<'a> {
    /// Encodes a request.
    pub(super) fn new(settings: &'a Settings, request: &'a ModelRequest) -> Self {
        let transcript = Transcript::new(request, Responses::NAME, &settings.origin);
        let traits = settings.models.lookup_among(&[ModelVendor::OpenAi], &settings.origin.model);
        let reasoning = reasoning(settings, &traits);
        if request.native_tools.any() {
            debug!("native tools are not implemented for the Responses API");
        }
        if !request.stop_sequences.is_empty() {
            debug!("the Responses API takes no stop sequences; they are applied to the reply");
        }
        Self {
            model: &settings.origin.model,
            instructions: transcript.instructions,
            input: input_items(transcript.entries),
            tools: request.tools.iter().map(|tool| ResponsesTool::from(&**tool)).collect(),
            include: reasoning.iter().map(|_| "reasoning.encrypted_content").collect(),
            reasoning,
            temperature: settings.temperature.filter(|_| !traits.fixed_temperature),
            max_output_tokens: settings.max_output_tokens,
            stream: true,
            store: false,
        }
    }
}
