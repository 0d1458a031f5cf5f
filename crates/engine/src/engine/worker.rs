//! One worker's turn at one session.

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

use super::Shared;
use crate::chat::unanswered;
use crate::recorder::Recorder;
use crate::stop::halt::Halt;
use crate::stop::{Stop, StopCause};
use crate::work::{Work, time_left};

/// How long a session waits whose record could not be read or written: what stays wrong must not keep a worker busy.
const PAUSE: Duration = Duration::from_secs(5);

/// Works on one session until it has ended or somebody else is to go on.
pub(super) async fn work_on(shared: Arc<Shared>, claimed: Claimed, stop: Stop, moved: CancellationToken) {
    let _moved_or_over = moved.clone().drop_guard();
    let (lease, crashes) = (claimed.lease, claimed.crashes);
    let is_chat = claimed.session.status.is_terminal();
    // An answer has all the time of a session.
    let began = claimed.session.started_at.filter(|_| !is_chat);
    let limit = shared.queue().session_timeout.duration();
    let limit = time_left(limit, began, claimed.session.interrupted, Timestamp::now());
    // Boxed: otherwise everything that it is handed to holds its room once more for as long as the session waits.
    let worked = Box::pin(async {
        let work = Work::load(Arc::clone(&shared.parts), claimed, stop.clone(), moved).await?;
        if is_chat { work.answer_question(crashes).await } else { work.investigate(crashes).await }
    });
    let mut worked = pin!(or_broken(worked));
    let ended = tokio::select! {
        ended = &mut worked => ended,
        () = sleep(limit) => {
            stop.stop(StopCause::SessionTimeout);
            worked.as_mut().await
        }
    };
    let ended = match ended {
        Err(Halt::Broken(reason)) => {
            let store = shared.parts.store.clone();
            let recorder = Recorder { store, lease, moved: CancellationToken::new(), stop: stop.clone() };
            or_broken(give_up(&recorder, is_chat, reason)).await
        }
        ended => ended,
    };
    shared.held.let_go(lease);
    let Err(halt) = ended else { return };
    if !matches!(halt, Halt::Stopped(StopCause::Parked)) {
        warn!(error = %halt, "a session was interrupted and will be resumed");
    }
    // Given back, so that it is resumed without waiting for the lease to run out. One that was taken over is not ours to
    // give: then this is refused.
    let resumed_from = Timestamp::now().after(pause_after(&halt));
    if let Err(error) = shared.parts.store.queue_release(lease, resumed_from).await {
        warn!(%error, "a session could not be given back; its lease will run out");
    }
}

/// A panic is a bug that the next worker would meet too. It ends the session, which would be held for ever by a worker
/// that is gone.
async fn or_broken(work: impl Future<Output = Result<(), Halt>>) -> Result<(), Halt> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("the log says where");
        Err(Halt::Broken(format!("a bug in this program ended the work on it: {text}")))
    })
}

fn pause_after(halt: &Halt) -> Duration {
    match halt {
        Halt::Stopped(_) => Duration::ZERO,
        Halt::Store(_) | Halt::Broken(_) => PAUSE,
    }
}

/// Ends a session whose record makes no sense, or its question: the next worker could do no more with it.
async fn give_up(recorder: &Recorder, is_chat: bool, reason: String) -> Result<(), Halt> {
    error!(reason, "a session cannot be continued");
    match recorder.close_what_is_open(WorkStatus::Failed, &reason).await {
        // What cannot be closed must not keep the session from its end.
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
    async fn a_panic_is_the_end_of_a_session_and_not_of_its_worker() {
        let ended = or_broken(async { panic!("index {} is out of bounds", 7) }).await;
        let Err(Halt::Broken(reason)) = ended else { panic!("{ended:?}") };
        assert_eq!(reason, "a bug in this program ended the work on it: index 7 is out of bounds");
    }

    #[test]
    fn only_a_session_that_was_stopped_goes_on_at_once() {
        assert_eq!(pause_after(&StopCause::Parked.into()), Duration::ZERO);
        assert_eq!(pause_after(&StoreError::Busy.into()), PAUSE);
        assert_eq!(pause_after(&Halt::Broken("no".to_owned())), PAUSE);
    }
}
