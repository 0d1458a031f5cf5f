//! The sessions of a run: submitted, questioned after their end, and polled until all are done.

use std::collections::HashMap;
use std::time::Duration;

use tarsy_domain::{ChatMessageId, SessionId, SessionStatus, Timestamp};
use tarsy_store::{AskOutcome, ChatMessage, QueueLimit, Session, Store, SubmitOutcome};
use tarsy_testkit::alert_for;
use tokio::time::timeout;

use crate::environment::TestEnvironment;
use crate::replica::Replica;
use crate::script::CHAINS;

/// Sessions in the order of their submission.
#[derive(Default)]
pub(crate) struct SessionSet {
    pub(crate) entries: Vec<TestSession>,
    losses: HashMap<SessionId, Loss>,
}

/// One session.
pub(crate) struct TestSession {
    pub(crate) session_id: SessionId,
    pub(crate) chain: &'static str,
    /// The text of the alert, which every request of the session contains.
    pub(crate) mark: String,
    /// Whether a chat question is asked after the end.
    pub(crate) has_question: bool,
    done: bool,
}

/// The number of consecutive process losses without progress.
struct Loss {
    progress: Progress,
    times: u32,
}

/// The progress of a session.
#[derive(PartialEq, Eq)]
struct Progress(SessionStatus, u64, u64, u64, Option<String>);

impl Progress {
    fn of(session: &Session) -> Self {
        let Session { status, llm_interactions, mcp_interactions, stages_done, .. } = session;
        Self(*status, *llm_interactions, *mcp_interactions, *stages_done, session.current_step.clone())
    }
}

impl SessionSet {
    /// Submits a session of the next chain.
    pub(crate) async fn submit(&mut self, environment: &TestEnvironment, store: &Store) {
        let number = self.entries.len();
        let chain = CHAINS[number % CHAINS.len()];
        // Every other round has questions, so that each chain is tested with and without.
        self.submit_chain(environment, store, chain, (number / CHAINS.len()).is_multiple_of(2)).await;
    }

    pub(crate) async fn submit_chain(
        &mut self,
        environment: &TestEnvironment,
        store: &Store,
        name: &'static str,
        has_question: bool,
    ) -> SessionId {
        let mark = format!("mark-{:04}", self.entries.len());
        let session = alert_for(&environment.chain(name), &format!("{{\"pod\": \"{mark}\"}}"));
        let session_id = session.session_id;
        let outcome = store.session_insert(session, QueueLimit::Unlimited, Timestamp::now()).await.unwrap();
        assert_eq!(outcome, SubmitOutcome::Created(session_id));
        self.entries.push(TestSession { session_id, chain: name, mark, has_question, done: false });
        session_id
    }

    /// Returns the unfinished sessions whose last worker belongs to a process.
    pub(crate) async fn held_by(&self, store: &Store, worker: &str) -> Vec<SessionId> {
        let mut held = Vec::new();
        for entry in self.entries.iter().filter(|entry| !entry.done) {
            let session = store.session_fetch(entry.session_id).await.unwrap().unwrap();
            let is_held = session.worker.is_some_and(|held_by| held_by.starts_with(worker));
            if is_held && !session.status.is_terminal() {
                held.push(entry.session_id);
            }
        }
        held
    }

    /// Polls unfinished sessions and asks their questions. Returns the number of unfinished sessions.
    pub(crate) async fn poll(&mut self, store: &Store) -> usize {
        let mut left = 0;
        for entry in self.entries.iter_mut().filter(|entry| !entry.done) {
            let session = store.session_fetch(entry.session_id).await.unwrap().unwrap();
            if session.status.is_terminal() {
                entry.done = !entry.has_question || is_answered(store, entry.session_id).await;
            }
            left += usize::from(!entry.done);
        }
        left
    }

    /// Records the loss of a process. Returns the sessions that must make progress before the next kill: after three losses
    /// without progress the engine correctly fails them.
    pub(crate) async fn note_loss(&mut self, store: &Store, lost: &str) -> Vec<SessionId> {
        let mut endangered = Vec::new();
        for entry in self.entries.iter().filter(|entry| !entry.done) {
            let session = store.session_fetch(entry.session_id).await.unwrap().unwrap();
            let is_held = session.worker.as_deref().is_some_and(|worker| worker.starts_with(lost));
            let progress = Progress::of(&session);
            let times = match self.losses.get(&entry.session_id) {
                Some(loss) if loss.progress == progress => loss.times + u32::from(is_held),
                _ => u32::from(is_held),
            };
            self.losses.insert(entry.session_id, Loss { progress, times });
            if times >= 2 {
                endangered.push(entry.session_id);
            }
        }
        endangered
    }

    /// Waits until sessions have made progress since the loss of their process.
    pub(crate) async fn wait_for_progress(&self, environment: &TestEnvironment, sessions: &[SessionId]) {
        until(Duration::from_secs(30), async || {
            let store = environment.store().await;
            let mut progressed = true;
            for session_id in sessions {
                let session = store.session_fetch(*session_id).await.unwrap().unwrap();
                progressed &= Progress::of(&session) != self.losses[session_id].progress;
            }
            store.close().await;
            progressed
        })
        .await;
    }

    /// Waits until all sessions are done. The processes must keep running.
    pub(crate) async fn wait_until_done(&mut self, environment: &TestEnvironment, replicas: &mut [Replica]) {
        let time_limit = Duration::from_secs(60 + self.entries.len() as u64);
        let done = async {
            let mut tick = tokio::time::interval(Duration::from_millis(200));
            loop {
                tick.tick().await;
                replicas.iter_mut().for_each(Replica::assert_running);
                let store = environment.store().await;
                let left = self.poll(&store).await;
                store.close().await;
                if left == 0 {
                    return;
                }
            }
        };
        if timeout(time_limit, done).await.is_err() {
            let store = environment.store().await;
            for entry in self.entries.iter().filter(|entry| !entry.done) {
                eprintln!(
                    "unfinished: {} {:?}",
                    entry.chain,
                    store.session_fetch(entry.session_id).await.unwrap()
                );
            }
            panic!("some sessions did not finish");
        }
    }
}

/// Returns whether the question is answered. Asks it first if necessary.
async fn is_answered(store: &Store, session_id: SessionId) -> bool {
    let messages = store.chat_message_list(session_id).await.unwrap();
    if messages.is_empty() {
        let question = ChatMessage {
            chat_message_id: ChatMessageId::new(),
            author: Some("ann".to_owned()),
            execution_id: None,
            content: "What was it?".to_owned(),
            created_at: Timestamp::now(),
        };
        assert_eq!(store.chat_ask(session_id, question).await.unwrap(), AskOutcome::Asked(1));
    }
    messages.len() == 2
}

/// Polls until the condition is true.
pub(crate) async fn until(time_limit: Duration, condition: impl AsyncFn() -> bool) {
    let poll = async {
        let mut tick = tokio::time::interval(Duration::from_millis(50));
        loop {
            tick.tick().await;
            if condition().await {
                return;
            }
        }
    };
    timeout(time_limit, poll)
        .await
        .unwrap_or_else(|_| panic!("the condition is still false after {time_limit:?}"));
}
