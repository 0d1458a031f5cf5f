//! Chat Completions, as OpenAI wrote it and as everybody else serves it: xAI, Ollama, llama.cpp, vLLM, LiteLLM,
//! OpenRouter, DeepSeek, Groq and more.
//!
//! They agree on the outline and differ in every detail, so reading is lenient and writing is plain. No server is
//! recognised by its address; what a reply holds says what to send back.

mod arguments;
mod decoder;
mod messages;
mod reasoning;
mod request;
mod think_tags;
mod thinking;
mod tool_deltas;
mod usage;

use super::Wire;
use super::openai;
use crate::http::{HttpFailure, HttpRequest};
use crate::{ModelError, ModelRequest, Settings};

const PATH: &str = "chat/completions";

/// The wire format.
pub(crate) struct Chat;

impl Chat {
    pub(crate) fn new() -> Self {
        Self
    }
}

impl Wire for Chat {
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

    fn refusal(settings: &Settings, failure: &HttpFailure) -> ModelError {
        openai::refused(settings, failure, PATH)
    }
}
