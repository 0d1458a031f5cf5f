//! Gemini's `streamGenerateContent`, as Google AI Studio and Vertex AI serve it.
//!
//! The two differ in the URL, in authentication, and in a few fields that only one of them has. A stream has
//! no closing event: it is complete if it ended after a finish reason. The API verifies tool calls of the
//! model by their thought signatures, so a reply is sent back exactly as it arrived.

mod call_ids;
mod decoder;
mod endpoint;
mod failure;
mod fields;
mod finish;
mod grounding;
mod json_path;
mod messages;
mod native_turn;
mod request;
mod schema;
mod shape;
mod streamed_call;
mod thinking;
mod tools;
mod usage;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

use self::decoder::Decoder;
use self::endpoint::GeminiEndpoint;
use super::Wire;
use crate::error::provider_bug;
use crate::http::{HttpFailure, HttpRequest};
use crate::{ModelError, ModelRequest, Settings};

/// The Gemini API as a wire.
pub(crate) struct Gemini {
    endpoint: GeminiEndpoint,
}

impl Gemini {
    /// Returns the wire for Google AI Studio.
    pub(crate) fn studio() -> Self {
        Self { endpoint: GeminiEndpoint::Studio }
    }

    /// Returns the wire for Vertex AI.
    pub(crate) fn vertex(project: String, location: String) -> Self {
        Self { endpoint: GeminiEndpoint::Vertex { project, location } }
    }
}

impl Wire for Gemini {
    const NAME: &'static str = "gemini";
    type Decoder = Decoder;

    fn encode(
        &self,
        settings: &Settings,
        request: &ModelRequest,
    ) -> Result<(HttpRequest, Decoder), ModelError> {
        let body = request::body(&self.endpoint, settings, request)?;
        let body = serde_json::to_string(&body)
            .map_err(|error| provider_bug(format!("the request cannot be written as JSON: {error}")))?;
        let url = self.endpoint.url(&settings.base_url, &settings.origin.model);
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        Ok((HttpRequest { url, headers, body }, Decoder::new(&settings.origin, request)))
    }

    fn failure(_: &Settings, response: &HttpFailure) -> ModelError {
        failure::from_response(response)
    }
}
