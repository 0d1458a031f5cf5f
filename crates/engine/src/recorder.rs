//! The writes to the record of a session that this process holds.
//!
//! Each write has a check that determines whether it was committed, in case its result was lost with the
//! connection. Retries are in `persistence`.

pub(crate) mod persistence;

use futures_util::future::{self, BoxFuture};
use futures_util::{FutureExt, TryFutureExt};
use tarsy_domain::{ExecutionId, StageId, Timestamp, WorkStatus};
use tarsy_store::{
    ChatMessage, ExecutionOpening, ExecutionOutcome, Lease, NewExecution, NewRunbook, NewTimelineEvent,
    Session, SessionOutcome, StageOutcome, Step, StepPayload, Store, StoreError,
};
use tokio_util::sync::CancellationToken;

use crate::recorder::persistence::Persistence;
use crate::stop::Stop;
use crate::stop::halt::Halt;

/// Writes to one session under its lease.
#[derive(Clone)]
pub(crate) struct Recorder {
    pub(crate) store: Store,
    pub(crate) lease: Lease,
    /// Cancelled by the first write: the session has then made progress since it was claimed.
    pub(crate) progressed: CancellationToken,
    pub(crate) stop: Stop,
}

impl Recorder {
    pub(crate) async fn step(&self, step: Step) -> Result<(), Halt> {
        let at = Timestamp::now();
        let record = || self.store.step_record(self.lease, step.clone(), at).map_ok(drop).boxed();
        self.persist(record, || self.is_recorded(&step.payload).boxed()).await
    }

    pub(crate) async fn begin_execution(
        &self,
        execution: NewExecution,
        opening: ExecutionOpening,
    ) -> Result<(), Halt> {
        let at = Timestamp::now();
        let id = execution.execution_id;
        let begin = || self.store.execution_begin(self.lease, execution.clone(), opening.clone(), at).boxed();
        self.persist(begin, || self.execution_is(id, None).boxed()).await
    }

    pub(crate) async fn finish_execution(
        &self,
        id: ExecutionId,
        outcome: ExecutionOutcome,
    ) -> Result<(), Halt> {
        let at = Timestamp::now();
        let finish = || self.store.execution_finish(self.lease, id, outcome.clone(), at).boxed();
        self.persist(finish, || self.execution_is(id, Some(outcome.status)).boxed()).await
    }

    pub(crate) async fn begin_stage(&self, id: StageId, note: Option<NewTimelineEvent>) -> Result<(), Halt> {
        let at = Timestamp::now();
        let begin = || self.store.stage_begin(self.lease, id, note.clone(), at).boxed();
        self.persist(begin, || self.stage_is(id, WorkStatus::Active).boxed()).await
    }

    pub(crate) async fn finish_stage(
        &self,
        id: StageId,
        outcome: StageOutcome,
        note: Option<NewTimelineEvent>,
    ) -> Result<(), Halt> {
        let at = Timestamp::now();
        let finish = || self.store.stage_finish(self.lease, id, outcome.clone(), note.clone(), at).boxed();
        self.persist(finish, || self.stage_is(id, outcome.status).boxed()).await
    }

    pub(crate) async fn runbook(&self, runbook: NewRunbook) -> Result<(), Halt> {
        let at = Timestamp::now();
        let record = || self.store.runbook_record(self.lease, runbook.clone(), at).boxed();
        let is_written =
            || self.store.runbook_fetch(self.lease.session_id).map_ok(|known| known.is_some()).boxed();
        self.persist(record, is_written).await
    }

    /// Adds a timeline entry that belongs to the session and to no execution.
    pub(crate) async fn insert_timeline_entry(&self, entry: NewTimelineEvent) -> Result<(), Halt> {
        let (at, session_id) = (Timestamp::now(), self.lease.session_id);
        let insert = || self.store.timeline_insert(self.lease, entry.clone(), at).boxed();
        let exists = || self.store.timeline_event_exists(session_id, entry.timeline_event_id).boxed();
        self.persist(insert, exists).await
    }

    pub(crate) async fn tools_started(&self, id: ExecutionId, calls: String) -> Result<(), Halt> {
        let start = || self.store.tools_started(self.lease, id, calls.clone()).boxed();
        // Idempotent: no check is needed before a retry.
        self.persist(start, || future::ok(false).boxed()).await
    }

    pub(crate) async fn finish_session(&self, outcome: SessionOutcome) -> Result<(), Halt> {
        let at = Timestamp::now();
        let finish = || self.store.session_finish(self.lease, outcome.clone(), at).boxed();
        let is_ended =
            |session: Option<Session>| session.is_some_and(|session| session.status == outcome.status);
        let is_written = || self.store.session_fetch(self.lease.session_id).map_ok(is_ended).boxed();
        self.persist(finish, is_written).await
    }

    pub(crate) async fn answer_chat(&self, answer: ChatMessage) -> Result<(), Halt> {
        let insert = || self.store.chat_answer(self.lease, answer.clone()).map_ok(drop).boxed();
        let is_listed = |messages: Vec<ChatMessage>| {
            messages.iter().any(|message| message.chat_message_id == answer.chat_message_id)
        };
        let is_written = || self.store.chat_message_list(self.lease.session_id).map_ok(is_listed).boxed();
        self.persist(insert, is_written).await
    }

    async fn is_recorded(&self, payload: &StepPayload) -> Result<bool, StoreError> {
        let session_id = self.lease.session_id;
        match payload {
            StepPayload::Model(call) | StepPayload::Summary { call, .. } => {
                self.store.interaction_exists(session_id, call.interaction_id).await
            }
            StepPayload::Tool(run) => self.store.interaction_exists(session_id, run.interaction_id).await,
            StepPayload::Delivered { of, .. } => self.store.tool_call_is_delivered(session_id, *of).await,
        }
    }

    /// Returns whether an execution exists, with the given status if there is one.
    async fn execution_is(&self, id: ExecutionId, status: Option<WorkStatus>) -> Result<bool, StoreError> {
        let executions = self.store.execution_list(self.lease.session_id).await?;
        let found = executions.iter().find(|execution| execution.identity.execution_id == id);
        Ok(found.is_some_and(|found| status.is_none_or(|status| found.status == status)))
    }

    async fn stage_is(&self, id: StageId, status: WorkStatus) -> Result<bool, StoreError> {
        let stages = self.store.stage_list(self.lease.session_id).await?;
        Ok(stages.iter().any(|stage| stage.stage_id == id && stage.status == status))
    }

    /// Writes with retries. `is_written` checks whether an attempt without a result was committed.
    async fn persist<'a>(
        &'a self,
        write: impl Fn() -> BoxFuture<'a, Result<(), StoreError>> + Send,
        is_written: impl Fn() -> BoxFuture<'a, Result<bool, StoreError>> + Send,
    ) -> Result<(), Halt> {
        let persistence = Persistence { session_id: self.lease.session_id, shutdown: self.stop.shutdown() };
        persistence.write(write, is_written).await?;
        self.progressed.cancel();
        Ok(())
    }
}
