//! What a client is sent, as JSON.

use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use serde_json::Value;
use tarsy_domain::{Channel, Timestamp};
use tarsy_store::{LiveDelta, LivePart, LivePlace};

/// Something to send. Cheap to clone: many clients are sent the same.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    /// What it is, e.g. `session.status`.
    pub(crate) message_type: &'static str,
    /// Its place in its channel, if it is stored.
    pub(crate) event_id: Option<u64>,
    /// The whole of it, as JSON.
    pub(crate) json: Utf8Bytes,
}

/// How a message looks.
#[derive(Serialize)]
struct Envelope<'a, Data> {
    r#type: &'a str,
    channel: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_us: Option<Timestamp>,
    data: &'a Data,
}

/// More of a text that is being written.
#[derive(Serialize)]
struct Chunk<'a> {
    #[serde(flatten)]
    place: LivePlace,
    part: LivePart,
    from_start: bool,
    text: &'a str,
}

impl Message {
    /// A stored event.
    pub(crate) fn stored(
        channel: Channel,
        message_type: &'static str,
        event_id: u64,
        at: Timestamp,
        data: &Value,
    ) -> Self {
        Self::new(channel, message_type, Some(event_id), Some(at), data)
    }

    /// Something that is only sent to whoever is there.
    pub(crate) fn passing(channel: Channel, message_type: &'static str, data: &Value) -> Self {
        Self::new(channel, message_type, None, None, data)
    }

    /// More of a text that is being written.
    pub(crate) fn chunk(channel: Channel, delta: &LiveDelta) -> Self {
        let LiveDelta { place, part, from_start, text } = delta;
        let data = Chunk { place: *place, part: *part, from_start: *from_start, text };
        Self::new(channel, "stream.chunk", None, None, &data)
    }

    fn new(
        channel: Channel,
        message_type: &'static str,
        event_id: Option<u64>,
        at_us: Option<Timestamp>,
        data: &impl Serialize,
    ) -> Self {
        let envelope = Envelope { r#type: message_type, channel: channel.to_string(), event_id, at_us, data };
        let json = serde_json::to_string(&envelope).unwrap_or_default();
        Self { message_type, event_id, json: json.into() }
    }
}
