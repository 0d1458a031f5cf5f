//! A process that is asked to stop, and gives back what it cannot finish in time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tarsy_domain::SessionStatus;
use tarsy_testkit::Said;

use crate::audit::Audit;
use crate::docket::Docket;
use crate::script;
use crate::world::World;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_waits_is_parked_and_resumed() {
    let hangs = Arc::new(AtomicBool::new(true));
    let script = Arc::clone(&hangs);
    let world = World::without_takeover(move |asked| {
        // The second turn: what was found in the first must not be lost.
        if asked.results() == 1 && script.load(Ordering::Relaxed) {
            Said::Nothing
        } else {
            script::answer(asked)
        }
    })
    .await;
    let mut docket = Docket::default();
    let store = world.store().await;
    let session_id = docket.enter_one(&world, &store, "one", true).await;
    store.close().await;

    let replica = world.start();
    world.model.asked(2).await;
    replica.stop().await;
    let store = world.store().await;
    let session = store.session_fetch(session_id).await.unwrap().unwrap();
    store.close().await;
    assert_eq!((session.status, session.worker), (SessionStatus::InProgress, None), "it was not given back");

    hangs.store(false, Ordering::Relaxed);
    let mut replicas = [world.start()];
    docket.until_done(&world, &mut replicas).await;
    for replica in replicas {
        replica.stop().await;
    }
    let audit = Audit::of_killed(&world, &docket).await;
    assert_eq!(audit.repeats, 1, "the call that hung, and no other: {audit}");
}
