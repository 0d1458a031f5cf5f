//! Stored events with what a watcher wants to see of them, read once for all who are at the same place.
//!
//! Events never change and have no gaps, so what follows event 41 may be kept: it can only become more.

use std::sync::Arc;

use quick_cache::sync::Cache;
use serde_json::{Value, json};
use tarsy_domain::{Channel, EventType, InteractionId, SessionId, TimelineEventId};
use tarsy_store::{Event, Session, Store, StoreError, TimelineEvent};

use super::Message;
use crate::view::{Investigation, ProcessingStatusResponse};

/// How far a session is.
const PROGRESS: &str = EventType::SessionProgress.as_str();
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
            let progress = self.progress(session_id).await?;
            Ok(progress.map(|progress| Message::passing(Channel::Sessions, PROGRESS, &progress)))
        };
        self.standings.get_or_insert_async(&(session_id, change), read).await
    }

    async fn messages(&self, channel: Channel, events: &[Event]) -> Result<Vec<Message>, StoreError> {
        let details = Details {
            entries: self.entries(channel, events).await?,
            progress: match channel {
                Channel::Session(session_id) if events.iter().any(is_progress) => {
                    self.progress(session_id).await?
                }
                Channel::Session(_) | Channel::Sessions => None,
            },
        };
        Ok(events.iter().map(|event| details.message(channel, event)).collect())
    }

    /// How far a session is now; None if it is gone.
    async fn progress(&self, session_id: SessionId) -> Result<Option<Value>, StoreError> {
        let Some(session) = self.store.session_fetch(session_id).await? else { return Ok(None) };
        let standing = standing(&session);
        let investigation = match Investigation::fetch(&self.store, session).await {
            // Whoever watches a session whose parts make no sense should see at least where it stands.
            Ok(None) | Err(StoreError::Corrupt { .. }) => return Ok(Some(standing)),
            fetched => fetched?,
        };
        let processing = investigation.map(|found| json!(ProcessingStatusResponse::from(found)));
        Ok(Some(merged(processing.unwrap_or_default(), standing)))
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

/// What a watcher wants to see of events beyond what is stored with them.
struct Details {
    entries: Vec<TimelineEvent>,
    /// How far the session is now.
    progress: Option<Value>,
}

impl Details {
    fn message(&self, channel: Channel, event: &Event) -> Message {
        let stored = serde_json::from_str(&event.payload).unwrap_or(Value::Null);
        let data = match event.event_type {
            EventType::SessionProgress => self.with_progress(stored),
            EventType::TimelineEventCompleted => self.with_entry(stored, entry_id(event)),
            EventType::SessionStatus
            | EventType::StageStatus
            | EventType::ExecutionStatus
            | EventType::TimelineEventCreated
            | EventType::InteractionCreated
            | EventType::ChatMessage => stored,
        };
        Message::stored(channel, event.event_type.as_str(), event.event_id, event.created_at, &data)
    }

    /// What was being done is told as it was; the rest is told as it is now.
    fn with_progress(&self, stored: Value) -> Value {
        merged(self.progress.clone().unwrap_or_default(), stored)
    }

    fn with_entry(&self, mut stored: Value, id: Option<TimelineEventId>) -> Value {
        let entry = self.entries.iter().find(|entry| Some(entry.entry.timeline_event_id) == id);
        if let Some(entry) = entry {
            stored["content"] = json!(entry.entry.content);
            stored["metadata"] = serde_json::from_str(&entry.entry.metadata).unwrap_or(Value::Null);
            stored["position"] = json!(entry.position);
            stored["created_at_us"] = json!(entry.entry.created_at);
        }
        stored
    }
}

/// Where a session stands, by its row alone.
fn standing(session: &Session) -> Value {
    json!({
        "session_id": session.session_id, "alert_id": session.alert_id, "status": session.status,
        "current_step": session.current_step, "chain_id": session.chain_id,
        "total_stages": session.stages_total, "completed_stages": session.stages_done,
    })
}

/// The fields of both; of those that both have, the ones of `over`.
fn merged(mut under: Value, over: Value) -> Value {
    if let Value::Object(over) = over {
        over.into_iter().for_each(|(name, value)| under[name] = value);
    }
    under
}

fn is_progress(event: &Event) -> bool {
    event.event_type == EventType::SessionProgress
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
