//! Writes into the record of a session that this process holds: what is written, and how it is found again if nobody
//! knows whether it was. How long it is tried is told in `persistence`.

pub(crate) mod persistence;

use futures_util::future::{self, BoxFuture};
use futures_util::{FutureExt, TryFutureExt};
use tarsy_domain::{ExecutionId, StageId, Timestamp, WorkStatus};
use tarsy_store::{
    ChatMessage, ExecutionOutcome, Happening, Lease, NewExecution, NewRunbook, NewTimelineEvent, Opening,
    Session, SessionOutcome, StageOutcome, Step, Store, StoreError,
};
use tokio_util::sync::CancellationToken;

use crate::recorder::persistence::Persistence;
use crate::stop::Stop;
use crate::stop::halt::Halt;

/// The writing hand of whoever holds a session.
#[derive(Clone)]
pub(crate) struct Recorder {
    pub(crate) store: Store,
    pub(crate) lease: Lease,
    /// Cancelled with the first write: the session has come further than whoever held it before.
    pub(crate) moved: CancellationToken,
    pub(crate) stop: Stop,
}

impl Recorder {
    pub(crate) async fn step(&self, step: Step) -> Result<(), Halt> {
        let at = Timestamp::now();
        let record = || self.store.step_record(self.lease, step.clone(), at).map_ok(drop).boxed();
        self.persist(record, || self.is_recorded(&step.happening).boxed()).await
    }

    pub(crate) async fn begin_execution(
        &self,
        execution: NewExecution,
        opening: Opening,
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
        let written =
            || self.store.runbook_fetch(self.lease.session_id).map_ok(|known| known.is_some()).boxed();
        self.persist(record, written).await
    }

    /// Adds an entry of the session itself.
    pub(crate) async fn note(&self, note: NewTimelineEvent) -> Result<(), Halt> {
        let (at, session_id) = (Timestamp::now(), self.lease.session_id);
        let insert = || self.store.timeline_insert(self.lease, note.clone(), at).boxed();
        let is_there = || self.store.timeline_event_exists(session_id, note.timeline_event_id).boxed();
        self.persist(insert, is_there).await
    }

    pub(crate) async fn tools_started(&self, id: ExecutionId, calls: String) -> Result<(), Halt> {
        let start = || self.store.tools_started(self.lease, id, calls.clone()).boxed();
        // Written twice it says the same.
        self.persist(start, || future::ok(false).boxed()).await
    }

    pub(crate) async fn finish_session(&self, outcome: SessionOutcome) -> Result<(), Halt> {
        let at = Timestamp::now();
        let finish = || self.store.session_finish(self.lease, outcome.clone(), at).boxed();
        let has_ended =
            |session: Option<Session>| session.is_some_and(|session| session.status == outcome.status);
        let written = || self.store.session_fetch(self.lease.session_id).map_ok(has_ended).boxed();
        self.persist(finish, written).await
    }

    pub(crate) async fn answer_chat(&self, answer: ChatMessage) -> Result<(), Halt> {
        let say = || self.store.chat_answer(self.lease, answer.clone()).map_ok(drop).boxed();
        let is_said = |said: Vec<ChatMessage>| {
            said.iter().any(|message| message.chat_message_id == answer.chat_message_id)
        };
        let written = || self.store.chat_message_list(self.lease.session_id).map_ok(is_said).boxed();
        self.persist(say, written).await
    }

    async fn is_recorded(&self, happening: &Happening) -> Result<bool, StoreError> {
        let session_id = self.lease.session_id;
        match happening {
            Happening::Model(call) | Happening::Summary { call, .. } => {
                self.store.interaction_exists(session_id, call.interaction_id).await
            }
            Happening::Tool(run) => self.store.interaction_exists(session_id, run.interaction_id).await,
            Happening::Told { of, .. } => self.store.tool_call_is_told(session_id, *of).await,
        }
    }

    /// Whether an execution is there, and in this state if one is given.
    async fn execution_is(&self, id: ExecutionId, status: Option<WorkStatus>) -> Result<bool, StoreError> {
        let executions = self.store.execution_list(self.lease.session_id).await?;
        let found = executions.iter().find(|execution| execution.identity.execution_id == id);
        Ok(found.is_some_and(|found| status.is_none_or(|status| found.status == status)))
    }

    async fn stage_is(&self, id: StageId, status: WorkStatus) -> Result<bool, StoreError> {
        let stages = self.store.stage_list(self.lease.session_id).await?;
        Ok(stages.iter().any(|stage| stage.stage_id == id && stage.status == status))
    }

    /// Writes until it is written or hopeless. `written` says whether an attempt without an answer has succeeded.
    async fn persist<'a>(
        &'a self,
        write: impl Fn() -> BoxFuture<'a, Result<(), StoreError>> + Send,
        written: impl Fn() -> BoxFuture<'a, Result<bool, StoreError>> + Send,
    ) -> Result<(), Halt> {
        let persistence = Persistence { session_id: self.lease.session_id, leaving: self.stop.leaving() };
        persistence.write(write, written).await?;
        self.moved.cancel();
        Ok(())
    }
}
