//! The timeline entries and events that a write adds to its session.
//!
//! The entries belong to the session, a stage, or the start of an execution. All others are written by steps.

use tarsy_domain::{CurrentStepData, EventPayload, ExecutionId, SessionId, TimelineEntryData};

use crate::EngineKind;
use crate::db::sql::Sql;
use crate::live::event::session_events;
use crate::queue::session_delta::{SessionCounters, SessionDelta};
use crate::session::search::{SearchPart, index_words, searchable_words};
use crate::step::timeline::{NewTimelineEvent, insert_timeline};
use crate::step::write_context::WriteContext;

/// Timeline entries and events to add.
pub(crate) struct Announcement {
    notes: Vec<NewTimelineEvent>,
    events: Vec<EventPayload>,
}

impl Announcement {
    pub(crate) fn new(
        session_id: SessionId,
        execution_id: Option<ExecutionId>,
        notes: impl IntoIterator<Item = NewTimelineEvent>,
        changes: impl IntoIterator<Item = EventPayload>,
    ) -> Self {
        let notes: Vec<NewTimelineEvent> = notes.into_iter().collect();
        let entry_events =
            notes.iter().map(|note| entry_event(session_id, execution_id, note)).collect::<Vec<_>>();
        Self { events: entry_events.into_iter().chain(changes).collect(), notes }
    }

    /// Returns what it adds to the totals of the session.
    pub(crate) fn delta(&self) -> SessionDelta {
        SessionDelta {
            timeline_events: self.notes.len() as u64,
            events: self.events.len() as u64,
            ..SessionDelta::default()
        }
    }

    /// Returns the inserts, after the counters of the session were increased.
    pub(crate) fn inserts(
        &self,
        engine: EngineKind,
        context: WriteContext,
        counters: &SessionCounters,
    ) -> Vec<Sql> {
        // The entries of an execution are its first ones, because all later ones are written by steps.
        let last_sequence = context.execution_id.map(|_| self.notes.len() as u64);
        let SessionCounters { session_number, last_timeline_position, last_event_id } = *counters;
        let mut inserts: Vec<Sql> =
            insert_timeline(context, &self.notes, last_sequence, last_timeline_position).collect();
        let first_position = last_timeline_position + 1 - self.notes.len() as u64;
        inserts.extend((first_position..).zip(&self.notes).filter_map(|(position, note)| {
            index_words(
                engine,
                session_number,
                SearchPart::Timeline(position),
                &searchable_words(&note.content),
            )
        }));
        inserts.extend(session_events(context.session_id, &self.events, last_event_id, context.at));
        inserts
    }
}

/// Returns the event for a new current step.
pub(crate) fn progress_event(session_id: SessionId, current_step: &str) -> EventPayload {
    EventPayload::SessionProgress(CurrentStepData { session_id, current_step: current_step.to_owned() })
}

/// Returns the event for a complete timeline entry.
pub(crate) fn entry_event(
    session_id: SessionId,
    execution_id: Option<ExecutionId>,
    entry: &NewTimelineEvent,
) -> EventPayload {
    EventPayload::TimelineEventCompleted(TimelineEntryData {
        session_id,
        execution_id,
        stage_id: entry.stage_id,
        timeline_event_id: entry.timeline_event_id,
        event_type: entry.event_type,
    })
}
