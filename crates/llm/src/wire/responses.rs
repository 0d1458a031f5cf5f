//! OpenAI's Responses API.
//!
//! Nothing is stored at the vendor: each request contains the whole conversation, and encrypted reasoning is
//! part of the items that are sent back unchanged. The vendor's own tools (web search, code execution) are
//! not used.

mod decoder;
mod item;
mod item_index;
mod messages;
mod request;
mod thinking;
mod tools;
mod usage;

use super::Wire;
use super::openai;
use crate::http::{HttpFailure, HttpRequest};
use crate::{ModelError, ModelRequest, Settings};

const PATH: &str = "responses";

/// The Responses API as a wire.
pub(crate) struct Responses;

impl Responses {
    pub(crate) fn new() -> Self {
        Self
    }
}

impl Wire for Responses {
    const NAME: &'static str = "responses";
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
