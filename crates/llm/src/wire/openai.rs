//! Code that OpenAI's two APIs, Responses and Chat Completions, share.
//!
//! URLs, the conversation with a result for every tool call, tool schemas, reasoning efforts and errors. The
//! format of messages and events is defined in the wires.

mod call_ids;
mod endpoint;
mod failure;
mod messages;
mod schema;
mod thinking;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::Serialize;
use serde_json::{Value, json};
use tarsy_domain::ModelFailureKind;

pub(crate) use call_ids::CallIds;
pub(crate) use endpoint::endpoint;
pub(crate) use failure::{event_error, is_error_event, response_error};
pub(crate) use messages::{Transcript, TranscriptCall, TranscriptEntry};
pub(crate) use schema::{flatten_top, parameters};
pub(crate) use thinking::{effort, is_reasoning_model};

use crate::http::{HttpRequest, SseEvent};
use crate::wire::shape::invalid_json;
use crate::{ModelError, Settings};

/// Returns a request with a JSON body whose response is a stream of events.
pub(crate) fn post(
    settings: &Settings,
    path: &str,
    body: &impl Serialize,
) -> Result<HttpRequest, ModelError> {
    let body = serde_json::to_string(body).map_err(|error| {
        ModelError::new(ModelFailureKind::InvalidRequest, format!("the request cannot be written: {error}"))
    })?;
    let headers = HeaderMap::from_iter([
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (ACCEPT, HeaderValue::from_static("text/event-stream")),
    ]);
    Ok(HttpRequest { url: endpoint(&settings.base_url, path), headers, body })
}

/// Parses the JSON of an event. The text of an error event that is not JSON is the message.
pub(crate) fn parse_event(event: &SseEvent) -> Result<Value, ModelError> {
    let parsed = serde_json::from_str(&event.data);
    match parsed {
        Ok(value) => Ok(value),
        Err(_) if event.name == "error" => Ok(json!({ "error": event.data })),
        Err(error) => Err(invalid_json("an event of the reply", &event.data, &error)),
    }
}

/// Returns the error for a stream that ended early.
pub(crate) fn cut_off(missing: &str) -> ModelError {
    ModelError::new(ModelFailureKind::Network, format!("the reply was cut off: it ended without {missing}"))
}

/// Returns the error for a reply that reached the token limit before it had any text.
pub(crate) fn no_text_within_limit() -> ModelError {
    ModelError::new(
        ModelFailureKind::EmptyReply,
        "the reply reached its token limit before it said anything; a higher max_output_tokens or less thinking \
         would help",
    )
}

/// Returns the error for a reply that the provider withheld.
pub(crate) fn withheld(reason: &str) -> ModelError {
    ModelError::new(ModelFailureKind::ContentFiltered, format!("the provider withheld the reply: {reason}"))
}

/// Returns a count, also if it is written as a float; missing and `null` are zero.
pub(crate) fn count(value: &Value, path: &str) -> u64 {
    value.pointer(path).and_then(Value::as_f64).map_or(0, |number| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        let whole = number as u64;
        whole
    })
}
