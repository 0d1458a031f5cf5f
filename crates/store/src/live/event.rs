//! The log of events, from which clients catch up.
//!
//! Ids have no gaps within a channel: the transaction that inserts events also increases the counter of the
//! channel, and the lock on the row of the counter makes the order of ids the order of commits. A client that
//! has event 41 therefore knows that the next one is 42. This module does not send events to clients.

use tarsy_domain::{Channel, EventPayload, EventType, SessionId, Timestamp, UnknownValue};
use thiserror::Error;

use crate::db::connection::DbConnection;
use crate::db::row::DbRow;
use crate::db::sql::{Sql, sql};
use crate::{Store, StoreError};

/// A stored event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Position in its channel, gapless from 1.
    pub event_id: u64,
    /// When it was recorded.
    pub created_at: Timestamp,
    /// What changed. An event that cannot be read does not hide the events after it.
    pub payload: Result<EventPayload, CorruptEvent>,
}

/// A stored event whose type or payload this version cannot read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("event type `{event_type}`: {problem}")]
pub struct CorruptEvent {
    /// The stored type.
    pub event_type: String,
    /// What is wrong with the type or the payload.
    pub problem: String,
}

impl Store {
    /// Returns the events of `channel` after `last_event_id`, oldest first, at most `limit`.
    ///
    /// Retention deletes old events. Events are missing if the first returned id is not the next one, or if
    /// nothing is returned and [`Store::event_last_id`] is larger.
    pub async fn event_list(
        &self,
        channel: Channel,
        last_event_id: u64,
        limit: u32,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let mut connection = self.read().await?;
        let rows = sql("
            select event_id, event_type, created_at_us, payload
            from events
            where channel = $1
              and event_id > $2
            order by event_id
            limit $3")
        .bind(channel.to_string())
        .bind(last_event_id)
        .bind(limit)
        .fetch_all(&mut connection)
        .await?;
        rows.iter().map(StoredEvent::decode).collect()
    }

    /// Returns the id of the newest event of `channel`; 0 if there never was one.
    pub async fn event_last_id(&self, channel: Channel) -> Result<u64, StoreError> {
        let mut connection = self.read().await?;
        let counter = match channel {
            Channel::Sessions => {
                sql("select last_event_id from event_channels where channel = $1").bind(channel.to_string())
            }
            Channel::Session(id) => sql("select last_event_id from sessions where session_id = $1").bind(id),
        };
        let row = counter.fetch_optional(&mut connection).await?;
        row.map_or(Ok(0), |row| row.count("last_event_id"))
    }
}

impl StoredEvent {
    /// Returns the type of the event; None if it is corrupt.
    pub fn event_type(&self) -> Option<EventType> {
        self.payload.as_ref().ok().map(EventPayload::event_type)
    }

    fn decode(row: &DbRow) -> Result<Self, StoreError> {
        Ok(Self {
            event_id: row.count("event_id")?,
            created_at: row.time("created_at_us")?,
            payload: parse_payload(row.get("event_type")?, &row.get::<String>("payload")?),
        })
    }
}

fn parse_payload(event_type: String, json: &str) -> Result<EventPayload, CorruptEvent> {
    let known = event_type.parse().map_err(|unknown: UnknownValue| unknown.to_string());
    let parsed = known.and_then(|known| EventPayload::parse(known, json).map_err(|error| error.to_string()));
    parsed.map_err(|problem| CorruptEvent { event_type, problem })
}

/// Returns the inserts of `events` into the channel of a session. The last event gets `last_event_id`.
///
/// The caller has increased the counter, which is in the row of the session, in the same transaction.
pub(crate) fn session_events(
    session_id: SessionId,
    events: &[EventPayload],
    last_event_id: u64,
    at: Timestamp,
) -> impl Iterator<Item = Sql> {
    let first_event_id = last_event_id + 1 - events.len() as u64;
    (first_event_id..)
        .zip(events)
        .map(move |(event_id, event)| session_event(session_id, event, event_id, at))
}

/// Returns the insert of one event into the channel of a session.
pub(crate) fn session_event(
    session_id: SessionId,
    event: &EventPayload,
    event_id: u64,
    at: Timestamp,
) -> Sql {
    insert_event(Channel::Session(session_id), event, event_id, at)
}

/// Appends one event to the channel of all sessions.
///
/// Transactions that do this wait for each other, so it must be their last operation.
pub(crate) async fn append_to_all(
    connection: &mut DbConnection,
    event: &EventPayload,
    at: Timestamp,
) -> Result<(), StoreError> {
    let raised = sql("
        insert into event_channels (channel, last_event_id)
        values ($1, 1)
        on conflict (channel) do update
        set last_event_id = event_channels.last_event_id + 1
        returning last_event_id")
    .bind(Channel::Sessions.to_string())
    .fetch_one(connection)
    .await?;
    insert_event(Channel::Sessions, event, raised.count("last_event_id")?, at).execute(connection).await
}

fn insert_event(channel: Channel, event: &EventPayload, event_id: u64, at: Timestamp) -> Sql {
    sql("
        insert into events (channel, event_id, event_type, created_at_us, payload)
        values ($1, $2, $3, $4, $5)")
    .bind(channel.to_string())
    .bind(event_id)
    .bind(event.event_type().as_str())
    .bind(at)
    .bind(event.to_json())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_of_another_version_is_corrupt() {
        for (event_type, payload) in
            [("timeline_event.created", "{}"), ("session.status", "{}"), ("gap", "no JSON")]
        {
            let corrupt = parse_payload(event_type.to_owned(), payload).unwrap_err();
            assert_eq!(corrupt.event_type, event_type);
        }
    }
}
