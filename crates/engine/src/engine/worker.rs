//! A worker: runs one claimed session until it ends or is released.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tarsy_domain::{SessionStatus, Timestamp, WorkStatus};
use tarsy_store::Claimed;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use super::EngineShared;
use crate::chat::unanswered;
use crate::recorder::Recorder;
use crate::session_work::{SessionWork, time_left};
use crate::stop::halt::Halt;
use crate::stop::{Stop, StopCause};

/// Delay before a session whose record could not be read or written is resumed, so that a persistent failure
/// does not occupy workers.
const RESUME_DELAY: Duration = Duration::from_secs(5);

/// Runs a claimed session until it has ended or is released for another worker.
pub(super) async fn work_on(
    shared: Arc<EngineShared>,
    claimed: Claimed,
    stop: Stop,
    progressed: CancellationToken,
) {
    let _progressed_or_ended = progressed.clone().drop_guard();
    let (lease, crashes) = (claimed.lease, claimed.crashes);
    let is_chat = claimed.session.status.is_terminal();
    // A chat answer has the full time limit of a session.
    let began = claimed.session.started_at.filter(|_| !is_chat);
    let limit = shared.queue().session_timeout.duration();
    let limit = time_left(limit, began, claimed.session.interrupted, Timestamp::now());
    stop.set_time_left(limit);
    // Boxed: otherwise every wrapper below would contain a copy of this large future for the lifetime of the
    // session.
    let working = Box::pin(async {
        let work =
            SessionWork::load(Arc::clone(&shared.resources), claimed, stop.clone(), progressed).await?;
        if is_chat { work.answer_question(crashes).await } else { work.investigate(crashes).await }
    });
    let mut working = pin!(or_broken(working));
    let ended = tokio::select! {
        ended = &mut working => ended,
        () = sleep(limit) => {
            stop.stop(StopCause::SessionTimeout);
            working.as_mut().await
        }
    };
    let ended = match ended {
        Err(Halt::Broken(reason)) => {
            let store = shared.resources.store.clone();
            let recorder =
                Recorder { store, lease, progressed: CancellationToken::new(), stop: stop.clone() };
            or_broken(give_up(&recorder, is_chat, reason)).await
        }
        ended => ended,
    };
    shared.held.remove(lease);
    let Err(halt) = ended else { return };
    if !matches!(halt, Halt::Stopped(StopCause::Parked)) {
        warn!(error = %halt, "session interrupted; it will be resumed");
    }
    // Released, so that it is resumed before the lease expires. The fence rejects this for a session that
    // another worker has claimed.
    let claimable_at = Timestamp::now().after(resume_delay(&halt));
    if let Err(error) = shared.resources.store.queue_release(lease, claimable_at).await {
        warn!(%error, "cannot release the session; it is resumed when its lease expires");
    }
}

/// Converts a panic to an error that ends the session. Otherwise the session would stay held by a worker that
/// no longer exists, and the next worker would panic too.
async fn or_broken(work: impl Future<Output = Result<(), Halt>>) -> Result<(), Halt> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("see the log");
        Err(Halt::Broken(format!("internal error (panic): {text}")))
    })
}

fn resume_delay(halt: &Halt) -> Duration {
    match halt {
        Halt::Stopped(_) => Duration::ZERO,
        Halt::Store(_) | Halt::Broken(_) => RESUME_DELAY,
    }
}

/// Ends a session or chat question that cannot be resumed.
async fn give_up(recorder: &Recorder, is_chat: bool, reason: String) -> Result<(), Halt> {
    error!(reason, "session failed: it cannot be resumed");
    match recorder.close_open_work(WorkStatus::Failed, &reason).await {
        // Executions that cannot be closed must not prevent the end of the session.
        Ok(()) | Err(Halt::Broken(_)) => {}
        Err(halt) => return Err(halt),
    }
    if is_chat {
        return recorder.answer(None, unanswered(&reason)).await;
    }
    let outcome = recorder.early_outcome(SessionStatus::Failed, reason).await?;
    recorder.finish_session(outcome).await
}

#[cfg(test)]
mod tests {
    use tarsy_store::StoreError;

    use super::*;

    #[tokio::test]
    async fn a_panic_ends_the_session_but_not_its_worker() {
        let ended = or_broken(async { panic!("index {} is out of bounds", 7) }).await;
        let Err(Halt::Broken(reason)) = ended else { panic!("{ended:?}") };
        assert_eq!(reason, "internal error (panic): index 7 is out of bounds");
    }

    #[test]
    fn only_a_stopped_session_is_resumed_without_delay() {
        assert_eq!(resume_delay(&StopCause::Parked.into()), Duration::ZERO);
        assert_eq!(resume_delay(&StoreError::Busy.into()), RESUME_DELAY);
        assert_eq!(resume_delay(&Halt::Broken("no".to_owned())), RESUME_DELAY);
    }
}
