//! OpenAI's Responses API.
//!
//! Nothing is stored at the vendor: each request carries the whole conversation, and reasoning travels encrypted
//! inside the items that are sent back as they came. The vendor's own tools (web search, code) are not used.

mod decoder;
mod item;
mod item_index;
mod messages;
mod request;

use super::Wire;
use super::openai;
use crate::http::{HttpFailure, HttpRequest};
use crate::{ModelError, ModelRequest, Settings};

const PATH: &str = "responses";

/// The wire format.
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

    fn refusal(settings: &Settings, failure: &HttpFailure) -> ModelError {
        openai::refused(settings, failure, PATH)
    }
}
