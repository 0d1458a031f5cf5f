//! The events of a reply, parsed leniently.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::ModelError;
use crate::http::SseEvent;
use crate::wire::shape::invalid_json;

/// One event. Every field is optional and of any type.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct EventEnvelope {
    #[serde(rename = "type")]
    kind: Value,
    index: Value,
    /// The start of a block, byte for byte.
    pub(super) content_block: Option<Box<RawValue>>,
    pub(super) delta: Value,
    pub(super) message: Value,
    pub(super) usage: Value,
    error: Value,
}

impl EventEnvelope {
    /// Parses an event. Returns `None` if it is not an object, such as the end markers of gateways.
    pub(super) fn read(event: &SseEvent) -> Result<Option<Self>, ModelError> {
        if event.data.trim() == "[DONE]" {
            return Ok(None);
        }
        match serde_json::from_str(&event.data) {
            Ok(envelope) => Ok(Some(envelope)),
            Err(_) if serde_json::from_str::<Value>(&event.data).is_ok() => Ok(None),
            Err(error) => {
                let name = if event.name.is_empty() { "an event" } else { &event.name };
                Err(invalid_json(&format!("{name} of the reply"), &event.data, &error))
            }
        }
    }

    /// Returns the type from the data, or else the name of the event.
    pub(super) fn kind<'a>(&'a self, event: &'a SseEvent) -> &'a str {
        if !self.error.is_null() {
            return "error";
        }
        match self.kind.as_str() {
            Some(kind) if kind.ends_with("_error") => "error",
            Some(kind) => kind,
            None => &event.name,
        }
    }

    /// Returns the index of the block that the event belongs to.
    pub(super) fn index(&self) -> Option<u64> {
        self.index.as_u64()
    }
}
