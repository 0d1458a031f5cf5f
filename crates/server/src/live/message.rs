//! Messages, serialized once for all clients that receive them.

use axum::extract::ws::Utf8Bytes;
use tarsy_domain::{Channel, ChannelMessage, GapData, LiveMessage, StreamChunkData};
use tarsy_store::LiveDelta;

/// A serialized message. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct EncodedMessage {
    /// The type of the message, e.g. `session.status`.
    pub(crate) message_type: &'static str,
    /// The id of the stored event; None if the message is not stored.
    pub(crate) event_id: Option<u64>,
    /// The message as JSON.
    pub(crate) json: Utf8Bytes,
}

impl From<ChannelMessage> for EncodedMessage {
    fn from(message: ChannelMessage) -> Self {
        Self {
            message_type: message.message_type(),
            event_id: message.event_id(),
            json: message.to_json().into(),
        }
    }
}

/// Returns a chunk of a text that is being streamed.
pub(super) fn chunk(channel: Channel, delta: LiveDelta) -> EncodedMessage {
    let LiveDelta { scope: place, part, from_start, text } = delta;
    let data = StreamChunkData {
        session_id: place.session_id,
        stage_id: place.stage_id,
        execution_id: place.execution_id,
        interaction_id: place.interaction_id,
        part,
        from_start,
        text,
    };
    ChannelMessage::StreamChunk(LiveMessage::transient(channel, data)).into()
}

/// Returns a gap that ends before `next_event_id`.
pub(super) fn gap(channel: Channel, missing_from: u64, next_event_id: u64) -> EncodedMessage {
    let data = GapData { missing_from: Some(missing_from), next_event_id: Some(next_event_id) };
    ChannelMessage::Gap(LiveMessage::transient(channel, data)).into()
}

/// Returns a gap of unknown extent.
pub(super) fn unbounded_gap(channel: Channel) -> EncodedMessage {
    ChannelMessage::Gap(LiveMessage::transient(channel, GapData::default())).into()
}
