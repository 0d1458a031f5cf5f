//! An operation with all its values, its execution on a store, and its outcome.

use std::collections::BTreeMap;
use std::time::Duration;

use tarsy_domain::{Channel, EventType, Message, MessageId, SessionId, SessionStatus, Timestamp, WorkStatus};
use tarsy_store::{
    AskOutcome, CancelOutcome, ChatMessage, ClaimLimit, ExecutionOpening, Lease, LeaseState, ListedSession,
    NewExecution, NewMessage, NewSession, NewTimelineEvent, QueueLimit, RetentionPolicy, SessionFilter,
    SessionOutcome, StageOutcome, Step, StepReceipt, Store, StoreError, SubmitOutcome, SweepResult,
};

/// Ends between two ticks, so that a lease never expires at the time of an operation.
pub(crate) const LEASE: Duration = Duration::from_micros(75);

#[derive(Debug, Clone)]
pub(crate) enum Action {
    Submit(NewSession),
    Claim(ClaimLimit),
    Renew,
    Release(Lease),
    Begin(Lease, NewExecution),
    Record(Lease, Box<Step>),
    StageBegin(Lease, usize),
    StageFinish(Lease, usize, WorkStatus),
    Finish(Lease, SessionOutcome),
    Cancel(SessionId),
    Delete(SessionId),
    Ask(SessionId, ChatMessage),
    Answer(Lease, ChatMessage),
    Sweep(RetentionPolicy),
    List(SessionFilter, u32),
    Counts,
    Events(Channel, u64),
    Timeline(SessionId),
    Stages(SessionId),
    Messages(NewExecution),
    Chat(SessionId),
}

/// The outcome of an action, in a form that is the same for stores and the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    Done,
    Rejected(&'static str),
    Submitted(SubmitOutcome),
    Claimed(Option<Lease>),
    Renewed(Vec<(Lease, LeaseState)>),
    Recorded(StepReceipt),
    Cancelled(CancelOutcome),
    Deleted(bool),
    Position(u64),
    Asked(AskOutcome),
    Swept(SweepResult),
    Pages(Vec<Vec<ListedSession>>),
    Counts(BTreeMap<SessionStatus, u64>),
    Events(Vec<(u64, EventType, Timestamp)>),
    Timeline(Vec<(u64, Option<u64>, NewTimelineEvent)>),
    Stages(Vec<(String, WorkStatus, Option<Timestamp>, Option<Timestamp>)>),
    Messages(Vec<(u64, NewMessage)>),
    Chat(Vec<ChatMessage>),
}

/// Returns the opening of every execution.
pub(crate) fn opening() -> ExecutionOpening {
    let message_id = MessageId::from(uuid::Uuid::nil());
    let message = NewMessage { message_id, message: Message::system("Investigate.") };
    ExecutionOpening {
        setup: "{}".to_owned(),
        messages: vec![message],
        notes: Vec::new(),
        current_step: "Beginning".to_owned(),
    }
}

pub(crate) fn stage_outcome(status: WorkStatus) -> StageOutcome {
    StageOutcome { status, analysis: Some("found".to_owned()), error_message: None, routing_reason: None }
}

/// Runs an action on a store.
pub(crate) async fn perform(store: &Store, action: &Action, at: Timestamp) -> Outcome {
    attempt(store, action.clone(), at).await.unwrap_or_else(|error| match error {
        StoreError::LeaseLost { .. } => Outcome::Rejected("lease lost"),
        StoreError::NotFound { .. } => Outcome::Rejected("not found"),
        StoreError::IllegalTransition { .. } => Outcome::Rejected("illegal transition"),
        other => panic!("{action:?}: {other}"),
    })
}

async fn attempt(store: &Store, action: Action, at: Timestamp) -> Result<Outcome, StoreError> {
    Ok(match action {
        Action::Submit(session) => {
            Outcome::Submitted(store.session_insert(session, QueueLimit::Unlimited, at).await?)
        }
        Action::Claim(limit) => {
            Outcome::Claimed(store.queue_claim("w", limit, at, LEASE).await?.map(|claimed| claimed.lease))
        }
        Action::Renew => {
            let mut leases = store.queue_renew("w", at, LEASE).await?;
            leases.sort_by_key(|(lease, _)| lease.session_id);
            Outcome::Renewed(leases)
        }
        Action::Release(lease) => done(store.queue_release(lease, at).await)?,
        Action::Begin(lease, execution) => {
            done(store.execution_begin(lease, execution, opening(), at).await)?
        }
        Action::Record(lease, step) => Outcome::Recorded(store.step_record(lease, *step, at).await?),
        Action::StageBegin(lease, index) => {
            let stages = store.stage_list(lease.session_id).await?;
            let Some(stage) = stages.get(index) else { return Ok(Outcome::Rejected("lease lost")) };
            done(store.stage_begin(lease, stage.stage_id, None, at).await)?
        }
        Action::StageFinish(lease, index, status) => {
            let stages = store.stage_list(lease.session_id).await?;
            let Some(stage) = stages.get(index) else { return Ok(Outcome::Rejected("lease lost")) };
            done(store.stage_finish(lease, stage.stage_id, stage_outcome(status), None, at).await)?
        }
        Action::Finish(lease, outcome) => done(store.session_finish(lease, outcome, at).await)?,
        Action::Cancel(id) => Outcome::Cancelled(store.session_cancel(id, Some("me".into()), at).await?),
        Action::Delete(id) => Outcome::Deleted(store.session_delete(id).await?),
        Action::Ask(id, message) => {
            Outcome::Asked(store.chat_ask(id, ChatMessage { created_at: at, ..message }).await?)
        }
        Action::Answer(lease, message) => {
            Outcome::Position(store.chat_answer(lease, ChatMessage { created_at: at, ..message }).await?)
        }
        Action::Sweep(policy) => Outcome::Swept(store.retention_sweep(policy, at).await?),
        read => read_back(store, read).await?,
    })
}

async fn read_back(store: &Store, action: Action) -> Result<Outcome, StoreError> {
    Ok(match action {
        Action::List(filter, page_size) => Outcome::Pages(pages(store, &filter, page_size).await?),
        Action::Counts => Outcome::Counts(store.session_counts().await?),
        Action::Events(channel, after) => {
            let events = store.event_list(channel, after, 10_000).await?;
            let listed = events
                .into_iter()
                .map(|event| (event.event_id, event.event_type().unwrap(), event.created_at));
            Outcome::Events(listed.collect())
        }
        Action::Timeline(id) => {
            let timeline = store.timeline_list(id, 0, 10_000).await?;
            Outcome::Timeline(timeline.into_iter().map(|e| (e.position, e.sequence, e.entry)).collect())
        }
        Action::Stages(id) => {
            let stages = store.stage_list(id).await?;
            Outcome::Stages(
                stages.into_iter().map(|s| (s.name, s.status, s.started_at, s.completed_at)).collect(),
            )
        }
        Action::Messages(execution) => {
            let messages = store.message_list(execution.execution_id).await?;
            Outcome::Messages(messages.into_iter().map(|m| (m.sequence, m.message)).collect())
        }
        Action::Chat(id) => Outcome::Chat(store.chat_message_list(id).await?),
        change => panic!("{change:?} is not a read"),
    })
}

fn done(result: Result<(), StoreError>) -> Result<Outcome, StoreError> {
    result.map(|()| Outcome::Done)
}

async fn pages(
    store: &Store,
    filter: &SessionFilter,
    page_size: u32,
) -> Result<Vec<Vec<ListedSession>>, StoreError> {
    let mut pages = Vec::new();
    let mut cursor = None;
    loop {
        let page = store.session_list(filter, cursor, page_size).await?;
        pages.push(page.sessions);
        cursor = page.next;
        if cursor.is_none() {
            return Ok(pages);
        }
    }
}
