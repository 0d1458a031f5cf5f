//! A process that is paused past its lease: others go on with its sessions, and it must not write to them again.

use std::collections::HashSet;
use std::time::Duration;

use nix::sys::signal::Signal;
use tarsy_domain::SessionId;
use tarsy_testkit::TestDatabase;

use crate::audit::Audit;
use crate::chance::sessions;
use crate::docket::{Docket, until};
use crate::replica::Replica;
use crate::script;
use crate::world::World;

const SOON: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_replica_does_not_write_to_sessions_that_others_took_over() {
    let database = TestDatabase::postgres().await;
    let world = World::on(&database.url, script::answer).await;
    let mut docket = Docket::default();
    for _ in 0..sessions(36, 300) {
        docket.enter(&world, &database.store).await;
    }
    let (killed, paused, unharmed) = (world.start(), world.start(), world.start());
    world.model.asked(40).await;
    killed.kill();
    let held = pause_at_work(&paused, &docket, &database).await;
    let taken_over = async || {
        let still = docket.held_by(&database.store, &paused.worker_prefix()).await;
        !held.iter().any(|session_id| still.contains(session_id))
    };
    until(SOON, taken_over).await;
    paused.signal(Signal::SIGCONT);

    let mut running = [paused, unharmed];
    docket.until_done(&world, &mut running).await;
    for replica in running {
        replica.stop().await;
    }
    let audit = Audit::of_disturbed(&world, &docket).await;
    must_be_last_words(&audit, &docket, &held);
    let (held, late) = (held.len(), audit.late.len());
    eprintln!("{held} sessions taken from a paused replica, {late} late requests: {audit}");
    database.remove().await;
}

/// A pause may come between the decision to ask the model and the asking. So the paused process may ask once more in each
/// of its sessions, although it will not be heard; nobody else may.
fn must_be_last_words(audit: &Audit, docket: &Docket, held: &[SessionId]) {
    let mut asked = HashSet::new();
    for place in &audit.late {
        let entry = docket.entries.iter().find(|entry| entry.mark == place.mark).unwrap();
        assert!(held.contains(&entry.session_id), "{place:?} was answered and made again");
        assert!(asked.insert((&place.mark, &place.lane)), "{place:?}: the second time after the pause");
    }
}

/// Pauses a process while it holds sessions; answers which.
async fn pause_at_work(replica: &Replica, docket: &Docket, database: &TestDatabase) -> Vec<SessionId> {
    let mut tick = tokio::time::interval(Duration::from_millis(50));
    loop {
        tick.tick().await;
        replica.signal(Signal::SIGSTOP);
        let held = docket.held_by(&database.store, &replica.worker_prefix()).await;
        if !held.is_empty() {
            return held;
        }
        replica.signal(Signal::SIGCONT);
    }
}
