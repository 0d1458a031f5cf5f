//! The message for a stored event: its payload with the details that are read when it is sent.

use tarsy_domain::{
    Channel, ChannelMessage, CompletedEntryData, EventPayload, LiveMessage, SessionProgressData,
    TimelineEntryData,
};
use tarsy_store::{StoredEvent, TimelineEvent, decode_json};
use tracing::error;

use super::EncodedMessage;
use super::message::gap;

/// What clients receive with events beyond the stored payloads.
pub(super) struct EventDetails {
    pub(super) entries: Vec<TimelineEvent>,
    /// The current progress of the session.
    pub(super) progress: Option<SessionProgressData>,
}

impl EventDetails {
    /// Returns the message for an event. An event that cannot be read is reported and sent as a gap.
    pub(super) fn message(&self, channel: Channel, event: &StoredEvent) -> EncodedMessage {
        match self.read(channel, event) {
            Ok(message) => message.into(),
            Err(problem) => {
                let StoredEvent { event_id, .. } = *event;
                error!(%channel, event_id, %problem, "a stored event cannot be read; clients receive a gap");
                gap(channel, event_id, event_id + 1)
            }
        }
    }

    fn read(&self, channel: Channel, event: &StoredEvent) -> Result<ChannelMessage, String> {
        let header = EventHeader { channel, event };
        Ok(match event.payload.clone().map_err(|corrupt| corrupt.to_string())? {
            EventPayload::SessionStatus(data) => ChannelMessage::SessionStatus(header.with(data)),
            EventPayload::SessionProgress(data) => {
                // The step is taken from the event; everything else is the current state.
                let progress = self.progress.clone().ok_or("the session was deleted")?;
                let current_step = Some(data.current_step);
                ChannelMessage::SessionProgress(header.with(SessionProgressData { current_step, ..progress }))
            }
            EventPayload::StageStatus(data) => ChannelMessage::StageStatus(header.with(data)),
            EventPayload::ExecutionStatus(data) => ChannelMessage::ExecutionStatus(header.with(data)),
            EventPayload::TimelineEventCompleted(data) => {
                ChannelMessage::TimelineEventCompleted(header.with(self.entry(data)?))
            }
            EventPayload::InteractionCreated(data) => ChannelMessage::InteractionCreated(header.with(data)),
            EventPayload::ChatMessage(data) => ChannelMessage::ChatMessage(header.with(data)),
        })
    }

    fn entry(&self, entry: TimelineEntryData) -> Result<CompletedEntryData, String> {
        let is_it = |found: &&TimelineEvent| found.entry.timeline_event_id == entry.timeline_event_id;
        let found = self.entries.iter().find(is_it).ok_or("its timeline entry does not exist")?;
        let metadata = decode_json("metadata", entry.timeline_event_id, &found.entry.metadata);
        Ok(CompletedEntryData {
            entry,
            content: found.entry.content.clone(),
            metadata: metadata.map_err(|error| error.to_string())?,
            position: found.position,
            created_at_us: found.entry.created_at,
        })
    }
}

/// The fields that all messages for stored events share.
struct EventHeader<'a> {
    channel: Channel,
    event: &'a StoredEvent,
}

impl EventHeader<'_> {
    fn with<Data>(&self, data: Data) -> LiveMessage<Data> {
        LiveMessage {
            channel: self.channel,
            event_id: Some(self.event.event_id),
            at_us: Some(self.event.created_at),
            data,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_domain::{SessionId, SessionStatus, SessionStatusData, Timestamp};
    use tarsy_store::CorruptEvent;

    use super::*;

    #[test]
    fn a_corrupt_event_is_sent_as_a_gap_and_the_next_one_is_sent() {
        let session_id = SessionId::new();
        let channel = Channel::Session(session_id);
        let details = EventDetails { entries: Vec::new(), progress: None };
        let corrupt = CorruptEvent { event_type: "session.status".to_owned(), problem: "no JSON".to_owned() };
        let payload =
            EventPayload::SessionStatus(SessionStatusData { session_id, status: SessionStatus::Pending });
        let created_at = Timestamp::from_micros(7);
        let sent = [(41, Err(corrupt)), (42, Ok(payload))].map(|(event_id, payload)| {
            let message = details.message(channel, &StoredEvent { event_id, created_at, payload });
            serde_json::from_str::<serde_json::Value>(&message.json).unwrap()
        });
        let gap = json!({
            "type": "gap", "channel": channel.to_string(), "data": { "missing_from": 41, "next_event_id": 42 },
        });
        let status = json!({
            "type": "session.status", "channel": channel.to_string(), "event_id": 42, "at_us": 7,
            "data": { "session_id": session_id, "status": "pending" },
        });
        assert_eq!(sent, [gap, status]);
    }
}
