//! The statement that every leased write starts with: it checks the fence and updates the totals of the
//! session.
//!
//! The write that changes a total stores it in the row of the session, so that a list of sessions reads one
//! table.

use tarsy_domain::TokenUsage;

use crate::StoreError;
use crate::db::connection::DbConnection;
use crate::db::row::DbRow;
use crate::db::sql::sql;
use crate::queue::lease::Lease;

/// What a write adds to the totals of its session.
#[derive(Debug, Default)]
pub(crate) struct SessionDelta {
    pub(crate) stages_done: u64,
    pub(crate) stages_failed: u64,
    pub(crate) llm_interactions: u64,
    pub(crate) mcp_interactions: u64,
    pub(crate) timeline_events: u64,
    pub(crate) usage: TokenUsage,
    /// Number of events that the write appends to the channel of the session.
    pub(crate) events: u64,
    /// The new current step, if it changes.
    pub(crate) current_step: Option<String>,
}

impl SessionDelta {
    /// Returns a delta of one event.
    pub(crate) fn one_event() -> Self {
        Self { events: 1, ..Self::default() }
    }
}

/// The counters of a session after a write.
pub(crate) struct SessionCounters {
    pub(crate) session_number: i64,
    pub(crate) last_timeline_position: u64,
    pub(crate) last_event_id: u64,
}

/// Adds `delta` to the session. Fails with [`StoreError::LeaseLost`] if the fence is outdated.
pub(crate) async fn advance(
    connection: &mut DbConnection,
    lease: Lease,
    delta: &SessionDelta,
) -> Result<SessionCounters, StoreError> {
    let row = sql("
        update sessions
        set stages_done = stages_done + $3,
            stages_failed = stages_failed + $4,
            llm_interactions = llm_interactions + $5,
            mcp_interactions = mcp_interactions + $6,
            timeline_events = timeline_events + $7,
            input_tokens = input_tokens + $8,
            output_tokens = output_tokens + $9,
            thinking_tokens = thinking_tokens + $10,
            cached_tokens = cached_tokens + $11,
            last_event_id = last_event_id + $12,
            current_step = coalesce($13, current_step),
            crashes = 0
        where session_id = $1
          and fence = $2
        returning session_number, timeline_events, last_event_id")
    .bind(lease.session_id)
    .bind(lease.fence)
    .bind(delta.stages_done)
    .bind(delta.stages_failed)
    .bind(delta.llm_interactions)
    .bind(delta.mcp_interactions)
    .bind(delta.timeline_events)
    .bind(delta.usage.input_tokens)
    .bind(delta.usage.output_tokens)
    .bind(delta.usage.thinking_tokens)
    .bind(delta.usage.cached_tokens)
    .bind(delta.events)
    .bind(delta.current_step.as_ref())
    .fetch_optional(connection)
    .await?;
    SessionCounters::decode(&row.ok_or_else(|| lease.lost())?)
}

impl SessionCounters {
    pub(crate) fn decode(row: &DbRow) -> Result<Self, StoreError> {
        Ok(Self {
            session_number: row.get("session_number")?,
            last_timeline_position: row.count("timeline_events")?,
            last_event_id: row.count("last_event_id")?,
        })
    }
}
