//! Response bodies of the timeline.

use serde::Serialize;
use serde_json::{Map, Value};
use tarsy_domain::{ExecutionId, StageId, TimelineEventId, TimelineEventType, Timestamp};
use tarsy_store::{StoreError, TimelineEvent, decode_json};
use utoipa::ToSchema;

/// One page of a timeline.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimelinePageResponse {
    /// The entries, in order.
    events: Vec<TimelineEventResponse>,
    /// Value of `after` for the next page; null if there are no more entries.
    next_after: Option<u64>,
}

/// A timeline entry.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimelineEventResponse {
    /// Id of the entry.
    timeline_event_id: TimelineEventId,
    /// Position in the session, gapless from 1.
    position: u64,
    /// The stage; null for an entry of the session.
    stage_id: Option<StageId>,
    /// The execution; null for an entry of a stage or of the session.
    execution_id: Option<ExecutionId>,
    /// Position in the execution, gapless from 1.
    sequence: Option<u64>,
    /// Kind of the entry.
    event_type: TimelineEventType,
    /// Text of the entry.
    content: String,
    /// Values that belong to the entry, by name.
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    metadata: Map<String, Value>,
    /// When the entry first appeared.
    created_at_us: Timestamp,
    /// When the text was complete.
    completed_at_us: Timestamp,
}

impl TimelinePageResponse {
    /// Creates a page from up to `limit + 1` entries; the extra entry means that there is a next page.
    pub(crate) fn new(mut events: Vec<TimelineEvent>, limit: u32) -> Result<Self, StoreError> {
        let size = limit as usize;
        let has_more = events.len() > size;
        events.truncate(size);
        let next_after = events.last().filter(|_| has_more).map(|event| event.position);
        let events = events.into_iter().map(TimelineEventResponse::try_from).collect::<Result<_, _>>()?;
        Ok(Self { events, next_after })
    }
}

impl TryFrom<TimelineEvent> for TimelineEventResponse {
    type Error = StoreError;

    fn try_from(event: TimelineEvent) -> Result<Self, StoreError> {
        Ok(Self {
            timeline_event_id: event.entry.timeline_event_id,
            position: event.position,
            stage_id: event.entry.stage_id,
            execution_id: event.execution_id,
            sequence: event.sequence,
            event_type: event.entry.event_type,
            metadata: decode_json("metadata", event.entry.timeline_event_id, &event.entry.metadata)?,
            content: event.entry.content,
            created_at_us: event.entry.created_at,
            completed_at_us: event.completed_at,
        })
    }
}
