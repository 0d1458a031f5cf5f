//! Processes that are killed at any moment, and started again.

use tarsy_store::Store;
use tarsy_testkit::TestDatabase;

use crate::audit::Audit;
use crate::chance::{Chance, kills};
use crate::docket::Docket;
use crate::script;
use crate::world::{LEASE_MS, World};

/// So many sessions are under way or wait while processes are killed.
const UNDER_WAY: usize = 12;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_survive_kills_on_sqlite() {
    let world = World::on_sqlite(script::answer).await;
    // Half of the lives are long enough for what the last one left behind to be taken up.
    kill_again_and_again(&world, 1, 2 * LEASE_MS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_survive_kills_of_three_replicas_on_postgres() {
    let database = TestDatabase::postgres().await;
    let world = World::on(&database.url, script::answer).await;
    kill_again_and_again(&world, 3, LEASE_MS).await;
    database.remove().await;
}

async fn kill_again_and_again(world: &World, replicas: usize, longest_ms: u64) {
    let mut chance = Chance::new();
    let mut docket = Docket::default();
    let store = world.store().await;
    top_up(world, &store, &mut docket).await;
    store.close().await;
    let mut running: Vec<_> = (0..replicas).map(|_| world.start()).collect();
    for _ in 0..kills() {
        tokio::time::sleep(chance.up_to_ms(longest_ms)).await;
        let victim = running.swap_remove(chance.rng.usize(..running.len()));
        let name = victim.worker_prefix();
        victim.kill();
        let store = world.store().await;
        let endangered = docket.note_loss(&store, &name).await;
        top_up(world, &store, &mut docket).await;
        store.close().await;
        running.push(world.start());
        docket.until_moved(world, &endangered).await;
    }
    docket.until_done(world, &mut running).await;
    for replica in running {
        replica.stop().await;
    }
    let audit = Audit::of_killed(world, &docket).await;
    eprintln!("{} kills of {replicas}: {audit}", kills());
}

/// Enters sessions until enough are under way.
async fn top_up(world: &World, store: &Store, docket: &mut Docket) {
    let left = docket.look(store).await;
    for _ in left..UNDER_WAY {
        docket.enter(world, store).await;
    }
}
