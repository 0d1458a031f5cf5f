//! Processes that are killed at one particular moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tarsy_domain::{SessionStatus, Timestamp};
use tarsy_store::QueueLimit;
use tarsy_testkit::{ScriptedReply, new_session};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::audit::{Audit, check_accounts};
use crate::docket::{Docket, until};
use crate::script;
use crate::world::World;

const SOON: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_that_was_begun_is_not_made_again() {
    let world = World::on_sqlite(script::answer).await;
    let mut docket = Docket::default();
    let store = world.store().await;
    docket.enter_one(&world, &store, "restart", true).await;
    store.close().await;

    let replica = world.start();
    until(SOON, async || world.tools.calls().iter().any(|(name, _)| name == "restart")).await;
    replica.kill();
    let mut replicas = [world.start()];
    docket.until_done(&world, &mut replicas).await;
    for replica in replicas {
        replica.stop().await;
    }
    let audit = Audit::of_killed(&world, &docket).await;
    assert_eq!(audit.unknown, 1, "{audit}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_kills_its_process_is_given_up_and_others_are_not() {
    let (deadly, times) = (Arc::new(Notify::new()), Arc::new(AtomicU32::new(0)));
    let (struck, counted) = (Arc::clone(&deadly), Arc::clone(&times));
    // The others think for longer than the process lives, so they are interrupted as often as the one that kills it.
    let world = World::on_sqlite(move |asked| {
        if asked.model != "reacts" {
            return ScriptedReply::Delayed(Duration::from_millis(300), Box::new(script::answer(asked)));
        }
        counted.fetch_add(1, Ordering::Relaxed);
        struck.notify_one();
        ScriptedReply::Hang
    })
    .await;
    let mut docket = Docket::default();
    let store = world.store().await;
    let poison = docket.enter_one(&world, &store, "react", false).await;
    for chain in ["one", "three", "long"] {
        docket.enter_one(&world, &store, chain, true).await;
    }
    store.close().await;

    for _ in 0..3 {
        let replica = world.start();
        timeout(SOON, deadly.notified()).await.unwrap();
        replica.kill();
    }
    let mut replicas = [world.start()];
    docket.until_done(&world, &mut replicas).await;
    for replica in replicas {
        replica.stop().await;
    }
    let store = world.store().await;
    let session = store.session_fetch(poison).await.unwrap().unwrap();
    assert_eq!(session.status, SessionStatus::Failed);
    let reason = session.error_message.unwrap();
    assert!(
        reason.starts_with("the process crashed 3 times in a row at the same step (reacts: "),
        "{reason}"
    );
    assert_eq!(times.load(Ordering::Relaxed), 3, "it was tried again after it had been given up");
    check_accounts(&store, &docket.entries[1..]).await;
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_kills_its_process_is_given_up() {
    let deadly = Arc::new(Notify::new());
    let struck = Arc::clone(&deadly);
    let world = World::on_sqlite(move |asked| {
        if asked.model != "chats" {
            return script::answer(asked);
        }
        struck.notify_one();
        ScriptedReply::Hang
    })
    .await;
    let mut docket = Docket::default();
    let store = world.store().await;
    let session_id = docket.enter_one(&world, &store, "one", true).await;
    store.close().await;
    let mut replica = world.start();
    for _ in 0..3 {
        tokio::select! {
            () = deadly.notified() => {}
            () = docket.until_done(&world, &mut []) => panic!("it was answered"),
        }
        replica.kill();
        replica = world.start();
    }
    let mut replicas = [replica];
    docket.until_done(&world, &mut replicas).await;
    for replica in replicas {
        replica.stop().await;
    }
    let store = world.store().await;
    let said = store.chat_message_list(session_id).await.unwrap();
    let executions = store.execution_list(session_id).await.unwrap();
    store.close().await;
    let answer = "This question could not be answered: the process crashed on every attempt to answer";
    assert_eq!(said[1].content, answer);
    assert!(executions.iter().all(|execution| execution.status.is_terminal()), "{executions:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_nobody_can_read_is_given_up() {
    let world = World::on_sqlite(script::answer).await;
    let store = world.store().await;
    let session = new_session("unreadable");
    let session_id = session.session_id;
    store.session_insert(session, QueueLimit::Unlimited, Timestamp::now()).await.unwrap();
    store.close().await;

    let replica = world.start();
    let ended = async || {
        let store = world.store().await;
        let session = store.session_fetch(session_id).await.unwrap().unwrap();
        store.close().await;
        session
            .error_message
            .is_some_and(|reason| reason.starts_with("the chain of the session cannot be read"))
    };
    until(SOON, ended).await;
    replica.stop().await;
}
