//! The timeline as it is sent.

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
    /// Give it as `after` to get the next page; null if there is nothing more now.
    next_after: Option<u64>,
}

/// An entry of the timeline.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimelineEventResponse {
    timeline_event_id: TimelineEventId,
    /// Its place in the session, gapless from 1.
    position: u64,
    stage_id: Option<StageId>,
    execution_id: Option<ExecutionId>,
    /// Its place in the execution, gapless from 1.
    sequence: Option<u64>,
    event_type: TimelineEventType,
    content: String,
    /// What the text does not say.
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    metadata: Map<String, Value>,
    /// When it first appeared.
    created_at_us: Timestamp,
    /// When its text was complete.
    completed_at_us: Timestamp,
}

impl TimelinePageResponse {
    /// A page out of one entry more than it may hold, which tells whether there is a next one.
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
