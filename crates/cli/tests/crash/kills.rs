//! Processes that are killed at random times and restarted.

use tarsy_store::Store;
use tarsy_testkit::TestDatabase;

use crate::audit::Audit;
use crate::environment::{LEASE_MS, TestEnvironment};
use crate::random::{SeededRandom, kills};
use crate::script;
use crate::sessions::SessionSet;

/// The number of unfinished sessions while processes are killed.
const IN_PROGRESS: usize = 12;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_survive_kills_on_sqlite() {
    let environment = TestEnvironment::on_sqlite(script::reply).await;
    // Half of the processes live long enough to take over orphaned sessions.
    kill_repeatedly(&environment, 1, 2 * LEASE_MS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_survive_kills_of_three_replicas_on_postgres() {
    let database = TestDatabase::postgres().await;
    let environment = TestEnvironment::on(&database.url, script::reply).await;
    kill_repeatedly(&environment, 3, LEASE_MS).await;
    database.remove().await;
}

async fn kill_repeatedly(environment: &TestEnvironment, replicas: usize, max_lifetime_ms: u64) {
    let mut random = SeededRandom::new();
    let mut sessions = SessionSet::default();
    let store = environment.store().await;
    top_up(environment, &store, &mut sessions).await;
    store.close().await;
    let mut running: Vec<_> = (0..replicas).map(|_| environment.start()).collect();
    for _ in 0..kills() {
        tokio::time::sleep(random.up_to_ms(max_lifetime_ms)).await;
        let victim = running.swap_remove(random.rng.usize(..running.len()));
        let name = victim.worker_prefix();
        victim.kill();
        let store = environment.store().await;
        let endangered = sessions.note_loss(&store, &name).await;
        top_up(environment, &store, &mut sessions).await;
        store.close().await;
        running.push(environment.start());
        sessions.wait_for_progress(environment, &endangered).await;
    }
    sessions.wait_until_done(environment, &mut running).await;
    for replica in running {
        replica.stop().await;
    }
    let audit = Audit::of_killed(environment, &sessions).await;
    eprintln!("{} kills of {replicas}: {audit}", kills());
}

/// Submits sessions until enough are unfinished.
async fn top_up(environment: &TestEnvironment, store: &Store, sessions: &mut SessionSet) {
    let left = sessions.poll(store).await;
    for _ in left..IN_PROGRESS {
        sessions.submit(environment, store).await;
    }
}
