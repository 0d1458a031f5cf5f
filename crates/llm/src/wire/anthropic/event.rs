//! The events of an answer, read as openly as they can be.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::ModelError;
use crate::error::provider_bug;
use crate::http::Event;

/// One event: what it is called and what it may hold. Nothing is taken for granted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Envelope {
    #[serde(rename = "type")]
    kind: Value,
    index: Value,
    /// The beginning of a block, byte for byte.
    pub(super) content_block: Option<Box<RawValue>>,
    pub(super) delta: Value,
    pub(super) message: Value,
    pub(super) usage: Value,
    error: Value,
}

impl Envelope {
    /// Reads an event; nothing if it is not an object, such as the marks that gateways put at the end.
    pub(super) fn read(event: &Event) -> Result<Option<Self>, ModelError> {
        if event.data.trim() == "[DONE]" {
            return Ok(None);
        }
        match serde_json::from_str(&event.data) {
            Ok(envelope) => Ok(Some(envelope)),
            Err(_) if serde_json::from_str::<Value>(&event.data).is_ok() => Ok(None),
            Err(error) => {
                let name = if event.name.is_empty() { "an event" } else { &event.name };
                Err(provider_bug(format!("{name} of the reply is not valid JSON: {error}")))
            }
        }
    }

    /// What it is called, inside or outside.
    pub(super) fn kind<'a>(&'a self, event: &'a Event) -> &'a str {
        if event.name == "error" || !self.error.is_null() {
            return "error";
        }
        match self.kind.as_str() {
            Some(kind) if kind.ends_with("_error") => "error",
            Some(kind) => kind,
            None => &event.name,
        }
    }

    /// The place of the block that it is about.
    pub(super) fn index(&self) -> Option<u64> {
        self.index.as_u64()
    }
}
