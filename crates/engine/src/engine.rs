//! The engine: takes sessions off the queue, as many as there are workers, and brings each to its end.
//!
//! One loop claims for all workers of the process. It is woken by a push when there is work; looking now and then is the
//! safety net, which also finds sessions whose worker is gone. Another loop keeps the leases of all of them with one
//! write, however many there are.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tarsy_config::file::Queue;
use tarsy_domain::{ChatMessageId, SessionId, SessionStatus, Timestamp};
use tarsy_store::{
    CancelSignal, ChatMessage, ClaimLimit, Claimed, Lease, LeaseState, SessionOutcome, StoreError,
};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::halt::Halt;
use crate::janitor;
use crate::stop::{Stop, StopCause};
use crate::work::{Parts, Work};

/// A session whose process was lost so often where it stands may be what takes processes down: it gets no company.
const SUSPECT_FROM: u32 = 2;
/// How long a suspect may keep others waiting without coming further.
const QUARANTINE: Duration = Duration::from_secs(60);

/// A running engine.
pub struct Engine {
    shared: Arc<Shared>,
    claiming: JoinHandle<()>,
    around: JoinSet<()>,
}

/// What the loops of an engine share.
struct Shared {
    parts: Arc<Parts>,
    /// The name of this process among those that share the database.
    worker: String,
    /// The sessions at work here, by id: the lease they are held with, and how to stop them.
    held: Mutex<HashMap<SessionId, (i64, Stop)>>,
    stopping: CancellationToken,
}

impl Engine {
    /// Starts to take sessions off the queue.
    pub fn start(parts: Arc<Parts>) -> Self {
        let worker = worker_name();
        info!(worker, workers = parts.config.queue().worker_count, "the engine takes sessions");
        let shared =
            Arc::new(Shared { parts, worker, held: Mutex::default(), stopping: CancellationToken::new() });
        let mut around = JoinSet::new();
        around.spawn(keep_leases(Arc::clone(&shared)));
        around.spawn(hear_cancels(Arc::clone(&shared)));
        let store = shared.parts.store.clone();
        around.spawn(async move { store.listen().await });
        let parts = Arc::clone(&shared.parts);
        around.spawn(async move {
            janitor::clean_now_and_then(&parts.store, &parts.config.system().retention).await;
        });
        Self { claiming: tokio::spawn(claim_and_work(Arc::clone(&shared))), shared, around }
    }

    /// Stops to take sessions, and waits until those at work have ended or, when their time is up, were given back.
    pub async fn stop(mut self) {
        self.shared.stopping.cancel();
        if let Err(error) = self.claiming.await {
            error!(%error, "the engine did not stop in order");
        }
        self.around.shutdown().await;
    }
}

impl Shared {
    fn queue(&self) -> &Queue {
        self.parts.config.queue()
    }

    fn hold(&self, claimed: &Claimed, stop: &Stop) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.insert(claimed.session.session_id, (claimed.lease.fence, stop.clone()));
    }

    /// Forgets a session, unless it was claimed again in the meantime.
    fn let_go(&self, lease: Lease) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.get(&lease.session_id).is_some_and(|(fence, _)| *fence == lease.fence) {
            held.remove(&lease.session_id);
        }
    }

    fn all_held(&self) -> Vec<(SessionId, i64, Stop)> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().map(|(id, (fence, stop))| (*id, *fence, stop.clone())).collect()
    }
}

async fn claim_and_work(shared: Arc<Shared>) {
    let mut workers = JoinSet::new();
    let mut suspect: Option<Suspect> = None;
    let most = usize::try_from(shared.queue().worker_count).unwrap_or(usize::MAX);
    loop {
        while workers.len() < most && suspect.is_none() && !shared.stopping.is_cancelled() {
            let began = Instant::now();
            match claim(&shared).await {
                Ok(Some(claimed)) => {
                    let (stop, moved) = (Stop::default(), CancellationToken::new());
                    stop.held_until(began + shared.queue().lease());
                    shared.hold(&claimed, &stop);
                    suspect = Suspect::find(&claimed, &moved);
                    workers.spawn(work_on(Arc::clone(&shared), claimed, stop, moved));
                }
                Ok(None) => break,
                Err(error) => {
                    warn!(%error, "no session could be claimed");
                    break;
                }
            }
        }
        let is_free = workers.len() < most && suspect.is_none();
        tokio::select! {
            () = shared.stopping.cancelled() => break,
            () = shared.parts.store.work_arrives(), if is_free => {}
            () = sleep(look_again_after(shared.queue())), if is_free => {}
            () = Suspect::cleared(suspect.as_ref()), if suspect.is_some() => suspect = None,
            Some(_) = workers.join_next() => {}
        }
    }
    finish_or_park(&shared, workers).await;
}

/// A session that may take the process down. Nothing else is claimed beside it, so that others are not lost with it
/// once more and given up for what it does.
struct Suspect {
    moved: CancellationToken,
    until: Instant,
}

impl Suspect {
    fn find(claimed: &Claimed, moved: &CancellationToken) -> Option<Self> {
        let is_suspect = claimed.crashes >= SUSPECT_FROM;
        is_suspect.then(|| Self { moved: moved.clone(), until: Instant::now() + QUARANTINE })
    }

    /// Waits until it has come further or has had its time.
    async fn cleared(suspect: Option<&Self>) {
        if let Some(Self { moved, until }) = suspect {
            drop(timeout_at(*until, moved.cancelled()).await);
        }
    }
}

async fn claim(shared: &Shared) -> Result<Option<Claimed>, StoreError> {
    let queue = shared.queue();
    let limit = ClaimLimit::Sessions(queue.max_concurrent_sessions);
    shared.parts.store.queue_claim(&shared.worker, limit, Timestamp::now(), queue.lease()).await
}

/// Lets the sessions at work come to their end; those that do not in time are given back for others to go on with.
async fn finish_or_park(shared: &Shared, mut workers: JoinSet<()>) {
    let finished = timeout(shared.queue().graceful_shutdown_timeout.duration(), async {
        while workers.join_next().await.is_some() {}
    });
    if finished.await.is_ok() {
        return;
    }
    let held = shared.all_held();
    info!(sessions = held.len(), "sessions are given back for others to go on with");
    for (_, _, stop) in held {
        stop.stop(StopCause::Parked);
    }
    while workers.join_next().await.is_some() {}
}

/// Works on one session until it has ended or somebody else is to go on.
async fn work_on(shared: Arc<Shared>, claimed: Claimed, stop: Stop, moved: CancellationToken) {
    let _moved_or_over = moved.clone().drop_guard();
    let (lease, crashes) = (claimed.lease, claimed.crashes);
    let session_id = lease.session_id;
    let is_chat = claimed.session.status.is_terminal();
    let limit = time_left(&claimed, shared.queue().session_timeout.duration(), is_chat);
    let worked = async {
        let work = Work::load(Arc::clone(&shared.parts), claimed, stop.clone(), moved).await?;
        if is_chat { work.answer_question(crashes).await } else { work.investigate(crashes).await }
    };
    let mut worked = std::pin::pin!(worked);
    let ended = tokio::select! {
        ended = &mut worked => ended,
        () = sleep(limit) => {
            stop.stop(StopCause::SessionTimeout);
            worked.await
        }
    };
    shared.let_go(lease);
    let Err(halt) = ended else { return };
    if let Halt::Broken(reason) = &halt {
        match give_up(&shared, lease, is_chat, reason).await {
            Ok(()) => return,
            Err(error) => warn!(session.id = %session_id, %error, "a session could not be given up"),
        }
    }
    if !matches!(halt, Halt::Stopped(StopCause::Parked)) {
        warn!(session.id = %session_id, error = %halt, "a session was interrupted and will be resumed");
    }
    // Given back at once, so that it is resumed without waiting for the lease to run out. One that was taken over is not
    // ours to give: then this is refused.
    if let Err(error) = shared.parts.store.queue_release(lease, Timestamp::now()).await {
        warn!(session.id = %session_id, %error, "a session could not be given back; its lease will run out");
    }
}

/// Ends a session whose record makes no sense, or its question: the next worker could do no more with it.
async fn give_up(shared: &Shared, lease: Lease, is_chat: bool, reason: &str) -> Result<(), StoreError> {
    error!(session.id = %lease.session_id, reason, "a session cannot be continued");
    let (store, now) = (&shared.parts.store, Timestamp::now());
    if is_chat {
        let answer = ChatMessage {
            chat_message_id: ChatMessageId::new(),
            author: None,
            execution_id: None,
            content: format!("This question could not be answered: {reason}"),
            created_at: now,
        };
        return store.chat_answer(lease, answer).await.map(drop);
    }
    let outcome = SessionOutcome {
        status: SessionStatus::Failed,
        final_analysis: None,
        executive_summary: None,
        error_message: Some(reason.to_owned()),
    };
    store.session_finish(lease, outcome, now).await
}

/// What is left of a session's time. Time in which nobody worked on it does not count; an answer has all of it.
fn time_left(claimed: &Claimed, limit: Duration, is_chat: bool) -> Duration {
    let Some(started_at) = claimed.session.started_at.filter(|_| !is_chat) else { return limit };
    let end = started_at.after(limit).after(claimed.session.interrupted);
    let left = end.as_micros() - Timestamp::now().as_micros();
    Duration::from_micros(u64::try_from(left).unwrap_or_default())
}

/// Keeps the leases of all sessions at work, and stops those that are lost or were asked to stop.
async fn keep_leases(shared: Arc<Shared>) {
    let (interval, lease) = (shared.queue().heartbeat_interval.duration(), shared.queue().lease());
    let mut last_kept = Instant::now();
    let mut strays = HashSet::new();
    loop {
        sleep(interval).await;
        let held = shared.all_held();
        let began = Instant::now();
        match shared.parts.store.queue_renew_all(&shared.worker, Timestamp::now(), lease).await {
            Ok(kept) => {
                last_kept = began;
                strays = give_back_strays(&shared, &kept, &strays).await;
                let kept: HashMap<_, _> =
                    kept.into_iter().map(|(lease, state)| ((lease.session_id, lease.fence), state)).collect();
                for (session_id, fence, stop) in held {
                    match kept.get(&(session_id, fence)) {
                        Some(LeaseState::Held) => stop.held_until(began + lease),
                        Some(LeaseState::CancelRequested) => stop.stop(StopCause::Cancelled),
                        None => stop.stop(StopCause::LeaseLost),
                    }
                }
            }
            Err(error) => {
                warn!(%error, "the leases of the sessions at work could not be kept");
                if last_kept.elapsed() > lease {
                    held.iter().for_each(|(_, _, stop)| stop.stop(StopCause::LeaseLost));
                }
            }
        }
    }
}

/// Gives back sessions that are this worker's by the record alone: a claim whose answer was lost with the connection.
/// Nobody works on them, and they would be kept for ever. Answers those that were found; they are given back when they
/// are found again, because the answer to a claim may be on its way.
async fn give_back_strays(
    shared: &Shared,
    kept: &[(Lease, LeaseState)],
    before: &HashSet<Lease>,
) -> HashSet<Lease> {
    let held = shared.all_held().into_iter();
    let held: HashSet<Lease> = held.map(|(session_id, fence, _)| Lease { session_id, fence }).collect();
    let strays = kept.iter().map(|(lease, _)| *lease).filter(|lease| !held.contains(lease));
    let strays: HashSet<Lease> = strays.collect();
    for lease in strays.intersection(before) {
        warn!(session.id = %lease.session_id, "a session that nobody works on is given back");
        if let Err(error) = shared.parts.store.queue_release(*lease, Timestamp::now()).await {
            warn!(session.id = %lease.session_id, %error, "a session could not be given back");
        }
    }
    strays
}

/// Stops sessions as soon as somebody asks for it.
async fn hear_cancels(shared: Arc<Shared>) {
    let mut cancels = shared.parts.store.cancels();
    while let Some(signal) = cancels.next().await {
        // Those that were missed are seen when the leases are kept.
        let CancelSignal::Session(asked) = signal else { continue };
        let held = shared.all_held();
        for (_, _, stop) in held.into_iter().filter(|(session_id, ..)| *session_id == asked) {
            stop.stop(StopCause::Cancelled);
        }
    }
}

fn look_again_after(queue: &Queue) -> Duration {
    queue.poll_interval.duration() + queue.poll_interval_jitter.duration().mul_f64(fastrand::f64())
}

/// A name that no other process has, and that people can find the process by.
fn worker_name() -> String {
    format!("tarsy-{}-{:08x}", std::process::id(), fastrand::u32(..))
}
