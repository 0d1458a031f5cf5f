//! A graceful stop: sessions that cannot finish in time are released.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tarsy_domain::SessionStatus;
use tarsy_testkit::ScriptedReply;

use crate::audit::Audit;
use crate::environment::TestEnvironment;
use crate::script;
use crate::sessions::SessionSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unfinished_session_is_released_and_resumed() {
    let hangs = Arc::new(AtomicBool::new(true));
    let script = Arc::clone(&hangs);
    let environment = TestEnvironment::without_takeover(move |request| {
        // The second turn hangs: the result of the first one must not be lost.
        if request.results() == 1 && script.load(Ordering::Relaxed) {
            ScriptedReply::Hang
        } else {
            script::reply(request)
        }
    })
    .await;
    let mut sessions = SessionSet::default();
    let store = environment.store().await;
    let session_id = sessions.submit_chain(&environment, &store, "one", true).await;
    store.close().await;

    let replica = environment.start();
    environment.model.wait_for_requests(2).await;
    replica.stop().await;
    let store = environment.store().await;
    let session = store.session_fetch(session_id).await.unwrap().unwrap();
    store.close().await;
    assert_eq!(
        (session.status, session.worker),
        (SessionStatus::InProgress, None),
        "the session was not released"
    );

    hangs.store(false, Ordering::Relaxed);
    let mut replicas = [environment.start()];
    sessions.wait_until_done(&environment, &mut replicas).await;
    for replica in replicas {
        replica.stop().await;
    }
    let audit = Audit::of_killed(&environment, &sessions).await;
    assert_eq!(audit.repeats, 1, "only the call that hung is repeated: {audit}");
}
