//! A step: one recorded model reply or tool result, with everything that follows from it, in one transaction.
//!
//! The call, the messages that it adds to the conversation, the timeline entries, the totals and the events
//! are written atomically. The journal therefore never contains part of a step, and an investigation can be
//! resumed from its end.

pub(crate) mod announcement;
pub(crate) mod call_counts;
pub(crate) mod interaction;
pub(crate) mod journal;
pub(crate) mod last_failure;
pub(crate) mod llm_response;
pub(crate) mod message;
pub(crate) mod recorded_result;
pub(crate) mod timeline;
pub(crate) mod trace;
pub(crate) mod write_context;

use std::sync::Arc;

use futures_util::FutureExt;
use tarsy_domain::{
    EventPayload, ExecutionId, InteractionData, InteractionId, InteractionKind, Timestamp, TokenUsage,
    ToolResult, WorkStatus,
};

use crate::db::connection::DbConnection;
use crate::db::fetch::execute_together;
use crate::db::sql::sql;
use crate::live::event::session_events;
use crate::queue::lease::Lease;
use crate::queue::session_delta::{SessionCounters, SessionDelta, advance};
use crate::session::masked_values::upsert_masked_values;
use crate::session::search::{SearchPart, index_words, searchable_words};
use crate::step::announcement::{entry_event, progress_event};
use crate::step::interaction::{LlmCall, ToolRun, deliver, insert_llm, insert_mcp};
use crate::step::message::{NewMessage, insert_messages};
use crate::step::timeline::{NewTimelineEvent, insert_timeline};
use crate::step::write_context::WriteContext;
use crate::work::execution::rejected;
use crate::{Store, StoreError};

/// One step of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The execution it belongs to.
    pub execution_id: ExecutionId,
    /// The call that it records, or the delivery of a result.
    pub payload: StepPayload,
    /// The messages that it adds to the conversation, in order.
    pub messages: Vec<NewMessage>,
    /// The timeline entries that it adds, in order.
    pub timeline: Vec<NewTimelineEvent>,
    /// The new description of the current activity, if it changed.
    pub current_step: Option<String>,
    /// The ledger of masked secrets as JSON text, if it has grown. It contains digests, not secrets.
    pub masked_values: Option<String>,
}

/// What a step records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepPayload {
    /// A model was called.
    Model(LlmCall),
    /// A tool was called, or the tools of a server were listed.
    Tool(ToolRun),
    /// A model summarized the result of a recorded tool call, and the result was delivered to the agent.
    Summary {
        /// The model call.
        call: LlmCall,
        /// The recorded tool call.
        of: InteractionId,
        /// The result as the agent received it.
        delivered: ToolResult,
    },
    /// The result of a recorded tool call was delivered to the agent without a model call.
    Delivered {
        /// The recorded tool call.
        of: InteractionId,
        /// The result as the agent received it.
        delivered: ToolResult,
    },
}

/// The counters after a recorded step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepReceipt {
    /// The sequence number of the last message of the execution.
    pub last_message_sequence: u64,
    /// The sequence number of the last timeline entry of the execution.
    pub last_timeline_sequence: u64,
    /// The position of the last timeline entry of the session.
    pub last_timeline_position: u64,
    /// The id of the last event in the channel of the session.
    pub last_event_id: u64,
}

impl StepPayload {
    fn llm_count(&self) -> u64 {
        u64::from(matches!(self, Self::Model(_) | Self::Summary { .. }))
    }

    fn mcp_count(&self) -> u64 {
        u64::from(matches!(self, Self::Tool(_)))
    }

    fn usage(&self) -> TokenUsage {
        match self {
            Self::Model(call) | Self::Summary { call, .. } => call.usage,
            Self::Tool(_) | Self::Delivered { .. } => TokenUsage::default(),
        }
    }
}

impl Store {
    /// Records a step. Fails with [`StoreError::LeaseLost`] if the fence of the lease is outdated.
    pub async fn step_record(
        &self,
        lease: Lease,
        step: Step,
        at: Timestamp,
    ) -> Result<StepReceipt, StoreError> {
        let step = Arc::new(PreparedStep::new(lease, step));
        let recorded = Arc::clone(&step);
        let written = self.change_session(lease.session_id, move |connection| {
            record(connection, lease, Arc::clone(&step), at).boxed()
        });
        let receipt = written.await?;
        self.call_counts.add(&recorded.step.payload);
        Ok(receipt)
    }
}

async fn record(
    connection: &mut DbConnection,
    lease: Lease,
    prepared: Arc<PreparedStep>,
    at: Timestamp,
) -> Result<StepReceipt, StoreError> {
    let PreparedStep { step, delta, events, words } = &*prepared;
    let SessionCounters { session_number, last_timeline_position, last_event_id } =
        advance(connection, lease, delta).await?;
    let ExecutionCounters { steps, last_message_sequence, last_timeline_sequence } =
        advance_execution(connection, lease, step, delta).await?;
    let context = WriteContext { session_id: lease.session_id, execution_id: Some(step.execution_id), at };
    let mut inserts = match &step.payload {
        StepPayload::Model(call) => vec![insert_llm(context, call, steps)?],
        StepPayload::Tool(run) => vec![insert_mcp(context, run, steps)?],
        StepPayload::Summary { call, of, delivered } => {
            vec![insert_llm(context, call, steps)?, deliver(lease.session_id, *of, delivered)?]
        }
        StepPayload::Delivered { of, delivered } => vec![deliver(lease.session_id, *of, delivered)?],
    };
    inserts.extend(insert_messages(context, &step.messages, last_message_sequence)?);
    let last_sequence = Some(last_timeline_sequence);
    inserts.extend(insert_timeline(context, &step.timeline, last_sequence, last_timeline_position));
    inserts.extend(step.masked_values.as_ref().map(|record| upsert_masked_values(lease.session_id, record)));
    let first_position = last_timeline_position + 1 - words.len() as u64;
    inserts.extend(words.iter().zip(first_position..).filter_map(|(words, position)| {
        index_words(connection.engine(), session_number, SearchPart::Timeline(position), words)
    }));
    inserts.extend(session_events(lease.session_id, events, last_event_id, at));
    execute_together(connection, inserts).await?;
    Ok(StepReceipt { last_message_sequence, last_timeline_sequence, last_timeline_position, last_event_id })
}

/// A step with everything that can be computed before its transaction.
struct PreparedStep {
    step: Step,
    delta: SessionDelta,
    events: Vec<EventPayload>,
    /// The words of each timeline entry, for the search index.
    words: Vec<String>,
}

impl PreparedStep {
    fn new(lease: Lease, step: Step) -> Self {
        let events = events_of(lease, &step);
        let delta = SessionDelta {
            llm_interactions: step.payload.llm_count(),
            mcp_interactions: step.payload.mcp_count(),
            timeline_events: step.timeline.len() as u64,
            usage: step.payload.usage(),
            events: events.len() as u64,
            current_step: step.current_step.clone(),
            ..SessionDelta::default()
        };
        let words = step.timeline.iter().map(|entry| searchable_words(&entry.content)).collect();
        Self { step, delta, events, words }
    }
}

/// The counters of the execution after a step.
struct ExecutionCounters {
    steps: u64,
    last_message_sequence: u64,
    last_timeline_sequence: u64,
}

/// Updates the totals of the execution.
async fn advance_execution(
    connection: &mut DbConnection,
    lease: Lease,
    step: &Step,
    delta: &SessionDelta,
) -> Result<ExecutionCounters, StoreError> {
    let row = sql("
        update agent_executions
        set llm_interactions = llm_interactions + $3,
            mcp_interactions = mcp_interactions + $4,
            input_tokens = input_tokens + $5,
            output_tokens = output_tokens + $6,
            thinking_tokens = thinking_tokens + $7,
            cached_tokens = cached_tokens + $8,
            last_message_sequence = last_message_sequence + $9,
            last_timeline_sequence = last_timeline_sequence + $10,
            steps = steps + 1
        where execution_id = $1
          and session_id = $2
          and status = 'active'
        returning steps, last_message_sequence, last_timeline_sequence")
    .bind(step.execution_id)
    .bind(lease.session_id)
    .bind(delta.llm_interactions)
    .bind(delta.mcp_interactions)
    .bind(delta.usage.input_tokens)
    .bind(delta.usage.output_tokens)
    .bind(delta.usage.thinking_tokens)
    .bind(delta.usage.cached_tokens)
    .bind(step.messages.len())
    .bind(step.timeline.len())
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else {
        return Err(rejected(connection, lease, step.execution_id, WorkStatus::Active).explain().await);
    };
    Ok(ExecutionCounters {
        steps: row.count("steps")?,
        last_message_sequence: row.count("last_message_sequence")?,
        last_timeline_sequence: row.count("last_timeline_sequence")?,
    })
}

fn events_of(lease: Lease, step: &Step) -> Vec<EventPayload> {
    let session_id = lease.session_id;
    let execution_id = step.execution_id;
    let interaction = match &step.payload {
        StepPayload::Model(call) | StepPayload::Summary { call, .. } => {
            Some((InteractionKind::Llm, call.interaction_id))
        }
        StepPayload::Tool(run) => Some((InteractionKind::Mcp, run.interaction_id)),
        StepPayload::Delivered { .. } => None,
    };
    let interaction = interaction.map(|(kind, interaction_id)| {
        EventPayload::InteractionCreated(InteractionData { session_id, execution_id, kind, interaction_id })
    });
    let timeline = step.timeline.iter().map(|entry| entry_event(session_id, Some(execution_id), entry));
    let progress = step.current_step.iter().map(|current_step| progress_event(session_id, current_step));
    interaction.into_iter().chain(timeline).chain(progress).collect()
}
