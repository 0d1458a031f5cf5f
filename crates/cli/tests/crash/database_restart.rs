//! Restarts of the database while sessions run.

use std::sync::Arc;
use std::time::Duration;

use crate::audit::Audit;
use crate::cluster::PostgresCluster;
use crate::environment::TestEnvironment;
use crate::random::{SeededRandom, session_count};
use crate::script;
use crate::sessions::{SessionSet, until};

const TIME_LIMIT: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_survive_restarts_of_the_database() {
    let mut random = SeededRandom::new();
    let cluster = Arc::new(PostgresCluster::start());
    let environment = TestEnvironment::on(&cluster.url, script::reply).await;
    let mut sessions = SessionSet::default();
    let store = environment.store().await;
    for _ in 0..session_count(24, 100) {
        sessions.submit(&environment, &store).await;
    }
    store.close().await;
    let mut replicas: Vec<_> = (0..2).map(|_| environment.start()).collect();
    for _ in 0..3 {
        let before = environment.model.log().len();
        until(TIME_LIMIT, async || environment.model.log().len() > before + 20).await;
        tokio::time::sleep(random.up_to_ms(200)).await;
        let cluster = Arc::clone(&cluster);
        tokio::task::spawn_blocking(move || cluster.restart()).await.unwrap();
    }
    sessions.wait_until_done(&environment, &mut replicas).await;
    for replica in replicas {
        replica.stop().await;
    }
    let audit = Audit::of_killed(&environment, &sessions).await;
    eprintln!("3 restarts of the database: {audit}");
}
