//! A process that is paused longer than its lease: others take over its sessions, and it must not write to them again.

use std::collections::HashSet;
use std::time::Duration;

use nix::sys::signal::Signal;
use tarsy_domain::SessionId;
use tarsy_testkit::TestDatabase;

use crate::audit::Audit;
use crate::environment::TestEnvironment;
use crate::random::session_count;
use crate::replica::Replica;
use crate::script;
use crate::sessions::{SessionSet, until};

const TIME_LIMIT: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_replica_does_not_write_to_sessions_that_others_took_over() {
    let database = TestDatabase::postgres().await;
    let environment = TestEnvironment::on(&database.url, script::reply).await;
    let mut sessions = SessionSet::default();
    for _ in 0..session_count(36, 300) {
        sessions.submit(&environment, &database.store).await;
    }
    let (killed, paused, other) = (environment.start(), environment.start(), environment.start());
    environment.model.wait_for_requests(40).await;
    killed.kill();
    let held = pause_while_working(&paused, &sessions, &database).await;
    let taken_over = async || {
        let still = sessions.held_by(&database.store, &paused.worker_prefix()).await;
        !held.iter().any(|session_id| still.contains(session_id))
    };
    until(TIME_LIMIT, taken_over).await;
    paused.signal(Signal::SIGCONT);

    let mut running = [paused, other];
    sessions.wait_until_done(&environment, &mut running).await;
    for replica in running {
        replica.stop().await;
    }
    let audit = Audit::of_disturbed(&environment, &sessions).await;
    assert_at_most_one_late_request(&audit, &sessions, &held);
    let (held, late) = (held.len(), audit.late.len());
    eprintln!("{held} sessions taken from a paused replica, {late} late requests: {audit}");
    database.remove().await;
}

/// The pause may occur between the decision to call the model and the call. The paused process may therefore send one more
/// request in each of its sessions, whose reply is discarded; other processes may not.
fn assert_at_most_one_late_request(audit: &Audit, sessions: &SessionSet, held: &[SessionId]) {
    let mut late = HashSet::new();
    for position in &audit.late {
        let entry = sessions.entries.iter().find(|entry| entry.mark == position.mark).unwrap();
        assert!(held.contains(&entry.session_id), "{position:?} was repeated after its reply was used");
        assert!(
            late.insert((&position.mark, &position.lane)),
            "{position:?} was repeated twice after the pause"
        );
    }
}

/// Pauses a process while it holds sessions. Returns these sessions.
async fn pause_while_working(
    replica: &Replica,
    sessions: &SessionSet,
    database: &TestDatabase,
) -> Vec<SessionId> {
    let mut tick = tokio::time::interval(Duration::from_millis(50));
    loop {
        tick.tick().await;
        replica.signal(Signal::SIGSTOP);
        let held = sessions.held_by(&database.store, &replica.worker_prefix()).await;
        if !held.is_empty() {
            return held;
        }
        replica.signal(Signal::SIGCONT);
    }
}
