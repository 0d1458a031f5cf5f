//! A database that goes away while sessions run, and comes back.

use std::sync::Arc;
use std::time::Duration;

use crate::audit::Audit;
use crate::chance::{Chance, sessions};
use crate::cluster::Cluster;
use crate::docket::{Docket, until};
use crate::script;
use crate::world::World;

const SOON: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_survive_restarts_of_the_database() {
    let mut chance = Chance::new();
    let cluster = Arc::new(Cluster::start());
    let world = World::on(&cluster.url, script::answer).await;
    let mut docket = Docket::default();
    let store = world.store().await;
    for _ in 0..sessions(24, 100) {
        docket.enter(&world, &store).await;
    }
    store.close().await;
    let mut replicas: Vec<_> = (0..2).map(|_| world.start()).collect();
    for _ in 0..3 {
        let asked = world.model.log().len();
        until(SOON, async || world.model.log().len() > asked + 20).await;
        tokio::time::sleep(chance.up_to_ms(200)).await;
        let cluster = Arc::clone(&cluster);
        tokio::task::spawn_blocking(move || cluster.restart()).await.unwrap();
    }
    docket.until_done(&world, &mut replicas).await;
    for replica in replicas {
        replica.stop().await;
    }
    let audit = Audit::of_killed(&world, &docket).await;
    eprintln!("3 restarts of the database: {audit}");
}
