//! The sessions of a run: entered, asked about when they have ended, and watched until nothing is left to do.

use std::collections::HashMap;
use std::time::Duration;

use tarsy_domain::{ChatMessageId, SessionId, SessionStatus, Timestamp};
use tarsy_store::{AskOutcome, ChatMessage, QueueLimit, Session, Store, SubmitOutcome};
use tarsy_testkit::alert_for;
use tokio::time::timeout;

use crate::replica::Replica;
use crate::script::CHAINS;
use crate::world::World;

/// Sessions in the order in which they were entered.
#[derive(Default)]
pub(crate) struct Docket {
    pub(crate) entries: Vec<Entry>,
    losses: HashMap<SessionId, Loss>,
}

/// One session.
pub(crate) struct Entry {
    pub(crate) session_id: SessionId,
    pub(crate) chain: &'static str,
    /// What its alert says, and therefore every request of it.
    pub(crate) mark: String,
    /// Whether somebody has a question when it has ended.
    pub(crate) is_asked: bool,
    done: bool,
}

/// How often in a row the process of a session was lost where it stood.
struct Loss {
    progress: Progress,
    times: u32,
}

/// How far a session has come.
#[derive(PartialEq, Eq)]
struct Progress(SessionStatus, u64, u64, u64, Option<String>);

impl Progress {
    fn of(session: &Session) -> Self {
        let Session { status, llm_interactions, mcp_interactions, stages_done, .. } = session;
        Self(*status, *llm_interactions, *mcp_interactions, *stages_done, session.current_step.clone())
    }
}

impl Docket {
    /// Enters a session of the next chain.
    pub(crate) async fn enter(&mut self, world: &World, store: &Store) {
        let number = self.entries.len();
        let chain = CHAINS[number % CHAINS.len()];
        // Every other round of the chains, so that each chain is asked about and not asked about.
        self.enter_one(world, store, chain, (number / CHAINS.len()).is_multiple_of(2)).await;
    }

    pub(crate) async fn enter_one(
        &mut self,
        world: &World,
        store: &Store,
        name: &'static str,
        is_asked: bool,
    ) -> SessionId {
        let mark = format!("mark-{:04}", self.entries.len());
        let session = alert_for(&world.chain(name), &format!("{{\"pod\": \"{mark}\"}}"));
        let session_id = session.session_id;
        let outcome = store.session_insert(session, QueueLimit::Unlimited, Timestamp::now()).await.unwrap();
        assert_eq!(outcome, SubmitOutcome::Created(session_id));
        self.entries.push(Entry { session_id, chain: name, mark, is_asked, done: false });
        session_id
    }

    /// The sessions that a process holds, or held last.
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

    /// Looks at every session that was not done: asks what is to be asked. Answers how many are left.
    pub(crate) async fn look(&mut self, store: &Store) -> usize {
        let mut left = 0;
        for entry in self.entries.iter_mut().filter(|entry| !entry.done) {
            let session = store.session_fetch(entry.session_id).await.unwrap().unwrap();
            if session.status.is_terminal() {
                entry.done = !entry.is_asked || is_answered(store, entry.session_id).await;
            }
            left += usize::from(!entry.done);
        }
        left
    }

    /// Notes what a killed process has left behind. Answers the sessions that must not lose their process again before
    /// they have moved: after the third time they would be given up, and rightly so.
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

    /// Waits until sessions have moved on from where their processes were lost.
    pub(crate) async fn until_moved(&self, world: &World, sessions: &[SessionId]) {
        until(Duration::from_secs(30), async || {
            let store = world.store().await;
            let mut moved = true;
            for session_id in sessions {
                let session = store.session_fetch(*session_id).await.unwrap().unwrap();
                moved &= Progress::of(&session) != self.losses[session_id].progress;
            }
            store.close().await;
            moved
        })
        .await;
    }

    /// Waits until nothing is left to do, with processes that run.
    pub(crate) async fn until_done(&mut self, world: &World, replicas: &mut [Replica]) {
        let patience = Duration::from_secs(60 + self.entries.len() as u64);
        let done = async {
            let mut tick = tokio::time::interval(Duration::from_millis(200));
            loop {
                tick.tick().await;
                replicas.iter_mut().for_each(Replica::must_run);
                let store = world.store().await;
                let left = self.look(&store).await;
                store.close().await;
                if left == 0 {
                    return;
                }
            }
        };
        if timeout(patience, done).await.is_err() {
            let store = world.store().await;
            for entry in self.entries.iter().filter(|entry| !entry.done) {
                eprintln!("left: {} {:?}", entry.chain, store.session_fetch(entry.session_id).await.unwrap());
            }
            panic!("some sessions did not come to their end");
        }
    }
}

/// Whether the one question is answered; it is asked first if it was not.
async fn is_answered(store: &Store, session_id: SessionId) -> bool {
    let said = store.chat_message_list(session_id).await.unwrap();
    if said.is_empty() {
        let question = ChatMessage {
            chat_message_id: ChatMessageId::new(),
            author: Some("ann".to_owned()),
            execution_id: None,
            content: "What was it?".to_owned(),
            created_at: Timestamp::now(),
        };
        assert_eq!(store.chat_ask(session_id, question).await.unwrap(), AskOutcome::Asked(1));
    }
    said.len() == 2
}

/// Waits for something that is looked for again and again.
pub(crate) async fn until(patience: Duration, is_so: impl AsyncFn() -> bool) {
    let look = async {
        let mut tick = tokio::time::interval(Duration::from_millis(50));
        loop {
            tick.tick().await;
            if is_so().await {
                return;
            }
        }
    };
    timeout(patience, look).await.unwrap_or_else(|_| panic!("it did not come within {patience:?}"));
}
