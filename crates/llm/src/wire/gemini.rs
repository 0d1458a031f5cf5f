//! Gemini's `streamGenerateContent`, as Google AI Studio and Vertex AI serve it.
//!
//! The two differ in the address, in how they know who asks, and in a few fields that only one of them has. A
//! stream has no closing event: it is whole if it ended after a finish reason. The model's own tool calls are
//! checked by their thought signatures, so a turn goes back exactly as it came.

mod call_ids;
mod decoder;
mod endpoint;
mod failure;
mod family;
mod fields;
mod finish;
mod grounding;
mod messages;
mod request;
mod schema;
mod thinking;
mod tools;
mod turn;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

use self::decoder::Decoder;
use self::endpoint::Endpoint;
use super::Wire;
use crate::error::provider_bug;
use crate::http::{HttpFailure, HttpRequest};
use crate::{ModelError, ModelRequest, Settings};

/// The wire format.
pub(crate) struct Gemini {
    endpoint: Endpoint,
}

impl Gemini {
    /// As Google AI Studio serves it.
    pub(crate) fn studio() -> Self {
        Self { endpoint: Endpoint::Studio }
    }

    /// As Vertex AI serves it to a project.
    pub(crate) fn vertex(project: String, location: String) -> Self {
        Self { endpoint: Endpoint::Vertex { project, location } }
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

    fn refusal(_: &Settings, failure: &HttpFailure) -> ModelError {
        failure::read_refusal(failure)
    }
}
