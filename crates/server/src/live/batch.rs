//! Pages of stored events with the details that clients need, read once for all clients at the same position.
//!
//! Events are immutable and gapless, so a page can be cached by the event id it follows. A cached page may
//! lack events that were added since; the next page starts after its last event.

use std::sync::Arc;

use quick_cache::sync::Cache;
use tarsy_domain::{
    Channel, ChannelMessage, EventPayload, InteractionId, LiveMessage, SessionId, SessionProgressData,
    TimelineEventId,
};
use tarsy_store::{Store, StoreError, StoredEvent, TimelineEvent};

use super::EncodedMessage;
use super::details::EventDetails;
use crate::view::{Investigation, row_progress, session_progress};

/// Maximum number of events per page.
const PAGE: u32 = 200;
/// Number of cached pages: several for each session that is being watched.
const CACHED_PAGES: usize = 1_000;

/// The events that follow a position.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) messages: Vec<EncodedMessage>,
    /// The ids of the first and the last event.
    pub(crate) ids: (u64, u64),
    /// Model and tool calls that these events report as recorded.
    pub(crate) recorded: Vec<InteractionId>,
}

/// Reads and caches batches. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Batches {
    store: Store,
    pages: Arc<Cache<(Channel, u64), Arc<Batch>>>,
    /// The progress of sessions after a change, by the number of the change.
    progress: Arc<Cache<(SessionId, u64), Option<EncodedMessage>>>,
}

impl Batches {
    pub(crate) fn new(store: Store) -> Self {
        let (pages, progress) = (Cache::new(CACHED_PAGES), Cache::new(CACHED_PAGES));
        Self { store, pages: Arc::new(pages), progress: Arc::new(progress) }
    }

    /// Returns the events after `event_id`; None if there are none yet.
    pub(crate) async fn after(
        &self,
        channel: Channel,
        event_id: u64,
    ) -> Result<Option<Arc<Batch>>, StoreError> {
        let position = (channel, event_id);
        let guard = match self.pages.get_value_or_guard_async(&position).await {
            Ok(batch) => return Ok(Some(batch)),
            Err(guard) => guard,
        };
        let events = self.store.event_list(channel, event_id, PAGE).await?;
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(None) };
        let batch = Arc::new(Batch {
            ids: (first.event_id, last.event_id),
            recorded: events.iter().filter_map(recorded_call).collect(),
            messages: self.messages(channel, &events).await?,
        });
        // The insert fails only if the guard timed out and another task inserted first; either value is
        // correct.
        drop(guard.insert(Arc::clone(&batch)));
        Ok(Some(batch))
    }

    /// Returns a session's progress after one of its changes, for the channel `sessions`; None if the session
    /// was deleted.
    pub(crate) async fn progress_after(
        &self,
        session_id: SessionId,
        change: u64,
    ) -> Result<Option<EncodedMessage>, StoreError> {
        let read = async {
            let progress = self.progress(session_id).await?;
            let message = progress.map(|data| LiveMessage::transient(Channel::Sessions, data));
            Ok(message.map(|message| ChannelMessage::SessionProgress(message).into()))
        };
        self.progress.get_or_insert_async(&(session_id, change), read).await
    }

    async fn messages(
        &self,
        channel: Channel,
        events: &[StoredEvent],
    ) -> Result<Vec<EncodedMessage>, StoreError> {
        let details = EventDetails {
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

    /// Returns the current progress of a session; None if it was deleted.
    async fn progress(&self, session_id: SessionId) -> Result<Option<SessionProgressData>, StoreError> {
        let Some(session) = self.store.session_fetch(session_id).await? else { return Ok(None) };
        let row = row_progress(&session);
        let investigation = match Investigation::fetch(&self.store, session).await {
            // Clients of a session with unreadable parts still receive what its row contains.
            Err(StoreError::Corrupt { .. }) => None,
            fetched => fetched?,
        };
        Ok(Some(investigation.as_ref().map_or(row, session_progress)))
    }

    /// Returns the timeline entries that the events refer to. Entries of one batch have consecutive
    /// positions.
    async fn entries(
        &self,
        channel: Channel,
        events: &[StoredEvent],
    ) -> Result<Vec<TimelineEvent>, StoreError> {
        let Channel::Session(session_id) = channel else { return Ok(Vec::new()) };
        let Some(first) = events.iter().find_map(entry_id) else { return Ok(Vec::new()) };
        // An event that cannot be read may refer to an entry in between.
        let referring = events.iter().filter(|event| event.payload.is_err() || entry_id(event).is_some());
        let count = u32::try_from(referring.count()).unwrap_or(PAGE);
        self.store.timeline_list_from(session_id, first, count).await
    }
}

fn is_progress(event: &StoredEvent) -> bool {
    matches!(event.payload, Ok(EventPayload::SessionProgress(_)))
}

/// Returns the timeline entry that an event refers to.
fn entry_id(event: &StoredEvent) -> Option<TimelineEventId> {
    match &event.payload {
        Ok(EventPayload::TimelineEventCompleted(data)) => Some(data.timeline_event_id),
        _ => None,
    }
}

/// Returns the model or tool call that an event reports as recorded.
fn recorded_call(event: &StoredEvent) -> Option<InteractionId> {
    match &event.payload {
        Ok(EventPayload::InteractionCreated(data)) => Some(data.interaction_id),
        _ => None,
    }
}
