//! Chat Completions, the API of OpenAI that xAI, Ollama, llama.cpp, vLLM, LiteLLM, OpenRouter, DeepSeek, Groq
//! and others also serve.
//!
//! The servers differ in many details, so decoding is lenient and requests contain only common fields.
//! Servers are not recognized by their URL; the fields of a reply decide which fields are sent back.

mod arguments;
mod decoder;
mod messages;
mod reasoning;
mod request;
mod think_tags;
mod thinking;
mod tool_deltas;
mod tools;
mod usage;

use tarsy_domain::ModelVendor;

use super::Wire;
use super::openai;
use crate::http::{HttpFailure, HttpRequest};
use crate::{ModelError, ModelRequest, Settings};

const PATH: &str = "chat/completions";
/// Vendors whose catalog entries describe this API.
const VENDORS: &[ModelVendor] = &[ModelVendor::OpenAi, ModelVendor::Xai];

/// The Chat Completions API as a wire.
pub(crate) struct ChatCompletions;

impl ChatCompletions {
    pub(crate) fn new() -> Self {
        Self
    }
}

impl Wire for ChatCompletions {
    const NAME: &'static str = "chat";
    type Decoder = decoder::Decoder;

    fn encode(
        &self,
        settings: &Settings,
        request: &ModelRequest,
    ) -> Result<(HttpRequest, Self::Decoder), ModelError> {
        let body = request::Body::new(settings, request);
        let http_request = openai::post(settings, PATH, &body)?;
        Ok((http_request, decoder::Decoder::new(settings, request)))
    }

    fn failure(settings: &Settings, response: &HttpFailure) -> ModelError {
        openai::response_error(settings, response, PATH)
    }
}
