//! Stored events with what a watcher wants to see of them, read once for all who are at the same place.
//!
//! Events never change and have no gaps, so what follows event 41 may be kept: it can only become more.

use std::sync::Arc;

use quick_cache::sync::Cache;
use serde_json::{Value, json};
use tarsy_domain::{Channel, EventType, InteractionId, SessionId, TimelineEventId};
use tarsy_store::{Event, Session, Store, StoreError, TimelineEvent};

use super::Message;

/// Events that are read at once.
const PAGE: u32 = 200;
/// Places that are kept: some for each session that is watched just now.
const KEPT: usize = 1_000;

/// The events that follow a place.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) messages: Vec<Message>,
    /// The id of the first and the last event.
    pub(crate) ids: (u64, u64),
    /// Model and tool calls that are recorded with them.
    pub(crate) recorded: Vec<InteractionId>,
}

/// Reads batches. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Batches {
    store: Store,
    kept: Arc<Cache<(Channel, u64), Arc<Batch>>>,
    /// How sessions stood after a change, by the number of the change.
    standings: Arc<Cache<(SessionId, u64), Option<Message>>>,
}

impl Batches {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, kept: Arc::new(Cache::new(KEPT)), standings: Arc::new(Cache::new(KEPT)) }
    }

    /// What follows an event; None if nothing does yet.
    pub(crate) async fn after(
        &self,
        channel: Channel,
        event_id: u64,
    ) -> Result<Option<Arc<Batch>>, StoreError> {
        let place = (channel, event_id);
        let guard = match self.kept.get_value_or_guard_async(&place).await {
            Ok(batch) => return Ok(Some(batch)),
            Err(guard) => guard,
        };
        let events = self.store.event_list(channel, event_id, PAGE).await?;
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(None) };
        let batch = Arc::new(Batch {
            ids: (first.event_id, last.event_id),
            recorded: recorded(&events),
            messages: self.messages(channel, &events).await?,
        });
        // Somebody else was there first only if this took too long; then it does not matter which is kept.
        drop(guard.insert(Arc::clone(&batch)));
        Ok(Some(batch))
    }

    /// How a session stands after one of its changes; None if it is gone.
    pub(crate) async fn standing(
        &self,
        session_id: SessionId,
        change: u64,
    ) -> Result<Option<Message>, StoreError> {
        let read = async {
            let session = self.store.session_fetch(session_id).await?;
            Ok(session
                .map(|session| Message::passing(Channel::Sessions, "session.progress", &standing(&session))))
        };
        self.standings.get_or_insert_async(&(session_id, change), read).await
    }

    async fn messages(&self, channel: Channel, events: &[Event]) -> Result<Vec<Message>, StoreError> {
        let entries = self.entries(channel, events).await?;
        Ok(events.iter().map(|event| message(channel, event, &entries)).collect())
    }

    /// The entries of the timeline that events are about: those of one batch follow each other.
    async fn entries(&self, channel: Channel, events: &[Event]) -> Result<Vec<TimelineEvent>, StoreError> {
        let Channel::Session(session_id) = channel else { return Ok(Vec::new()) };
        let mut ids = events.iter().filter_map(entry_id);
        let Some(first) = ids.next() else { return Ok(Vec::new()) };
        let count = u32::try_from(1 + ids.count()).unwrap_or(PAGE);
        self.store.timeline_list_from(session_id, first, count).await
    }
}

fn message(channel: Channel, event: &Event, entries: &[TimelineEvent]) -> Message {
    let mut data = serde_json::from_str(&event.payload).unwrap_or(Value::Null);
    let entry =
        entry_id(event).and_then(|id| entries.iter().find(|entry| entry.entry.timeline_event_id == id));
    if let Some(entry) = entry {
        data["content"] = json!(entry.entry.content);
        data["metadata"] = serde_json::from_str(&entry.entry.metadata).unwrap_or(Value::Null);
        data["position"] = json!(entry.position);
        data["created_at_us"] = json!(entry.entry.created_at);
    }
    Message::stored(channel, event.event_type.as_str(), event.event_id, event.created_at, &data)
}

/// The entry of the timeline that an event is about.
fn entry_id(event: &Event) -> Option<TimelineEventId> {
    let about_entry = event.event_type == EventType::TimelineEventCompleted;
    about_entry.then(|| field(event, "timeline_event_id")).flatten()?.parse().ok()
}

fn recorded(events: &[Event]) -> Vec<InteractionId> {
    let calls = events.iter().filter(|event| event.event_type == EventType::InteractionCreated);
    calls.filter_map(|event| field(event, "interaction_id")?.parse().ok()).collect()
}

fn field(event: &Event, name: &str) -> Option<String> {
    let payload: Value = serde_json::from_str(&event.payload).ok()?;
    payload.get(name)?.as_str().map(str::to_owned)
}

fn standing(session: &Session) -> Value {
    json!({
        "session_id": session.session_id, "alert_id": session.alert_id, "status": session.status,
        "current_step": session.current_step, "chain_id": session.chain_id,
        "total_stages": session.stages_total, "completed_stages": session.stages_done,
    })
}
