//! What OpenAI's two wire formats, Responses and Chat Completions, have in common.
//!
//! Where calls go, how a conversation reads with every tool call answered, what schemas may hold, which models
//! reason, and what errors mean. Nothing here knows how a message or an event is written.

mod call_ids;
mod endpoint;
mod failure;
mod messages;
mod schema;
mod thinking;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::Serialize;
use serde_json::Value;
use tarsy_domain::ModelFailureKind;

pub(crate) use call_ids::CallIds;
pub(crate) use endpoint::endpoint;
pub(crate) use failure::{event_fault, is_fault, refused};
pub(crate) use messages::{Transcript, Turn, TurnCall};
pub(crate) use schema::{flatten_top, parameters};
pub(crate) use thinking::{OpenAiModel, short_name};

use crate::error::provider_bug;
use crate::http::{Event, HttpRequest};
use crate::{ModelError, Settings};

/// A request with a JSON body, to be answered by a stream of events.
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

/// The JSON of an event.
pub(crate) fn json_of(event: &Event) -> Result<Value, ModelError> {
    serde_json::from_str(&event.data)
        .map_err(|error| provider_bug(format!("an event of the reply is not valid JSON: {error}")))
}

/// A reply without its end.
pub(crate) fn cut_off(missing: &str) -> ModelError {
    ModelError::new(ModelFailureKind::Network, format!("the reply was cut off: it ended without {missing}"))
}

/// A reply that the token limit ended before it said anything.
pub(crate) fn nothing_within_limit() -> ModelError {
    ModelError::new(
        ModelFailureKind::EmptyReply,
        "the reply reached its token limit before it said anything; a higher max_output_tokens or less thinking \
         would help",
    )
}

/// A reply that was withheld.
pub(crate) fn withheld(reason: &str) -> ModelError {
    ModelError::new(ModelFailureKind::ContentFiltered, format!("the provider withheld the reply: {reason}"))
}

/// A count, however it is written; nothing and `null` are zero.
pub(crate) fn count(value: &Value, path: &str) -> u64 {
    value.pointer(path).and_then(Value::as_f64).map_or(0, |number| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float to int cast saturates"
        )]
        let whole = number as u64;
        whole
    })
}
