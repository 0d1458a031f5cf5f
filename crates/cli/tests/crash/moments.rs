//! Processes that are killed at particular moments.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tarsy_domain::{SessionStatus, Timestamp};
use tarsy_store::QueueLimit;
use tarsy_testkit::{ScriptedReply, new_session};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::audit::{Audit, check_outcomes};
use crate::environment::TestEnvironment;
use crate::script;
use crate::sessions::{SessionSet, until};

const TIME_LIMIT: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_started_restart_is_not_repeated() {
    let environment = TestEnvironment::on_sqlite(script::reply).await;
    let mut sessions = SessionSet::default();
    let store = environment.store().await;
    sessions.submit_chain(&environment, &store, "restart", true).await;
    store.close().await;

    let replica = environment.start();
    until(TIME_LIMIT, async || environment.tools.calls().iter().any(|(name, _)| name == "restart")).await;
    replica.kill();
    let mut replicas = [environment.start()];
    sessions.wait_until_done(&environment, &mut replicas).await;
    for replica in replicas {
        replica.stop().await;
    }
    let audit = Audit::of_killed(&environment, &sessions).await;
    assert_eq!(audit.unknown, 1, "{audit}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_session_that_kills_its_process_fails() {
    let (fatal_request, times) = (Arc::new(Notify::new()), Arc::new(AtomicU32::new(0)));
    let (notify, counted) = (Arc::clone(&fatal_request), Arc::clone(&times));
    // Replies of the others take longer than the process lives, so that they are interrupted as often as the fatal one.
    let environment = TestEnvironment::on_sqlite(move |request| {
        if request.model != "reacts" {
            return ScriptedReply::Delayed(Duration::from_millis(300), Box::new(script::reply(request)));
        }
        counted.fetch_add(1, Ordering::Relaxed);
        notify.notify_one();
        ScriptedReply::Hang
    })
    .await;
    let mut sessions = SessionSet::default();
    let store = environment.store().await;
    let fatal = sessions.submit_chain(&environment, &store, "react", false).await;
    for chain in ["one", "three", "long"] {
        sessions.submit_chain(&environment, &store, chain, true).await;
    }
    store.close().await;

    for _ in 0..3 {
        let replica = environment.start();
        timeout(TIME_LIMIT, fatal_request.notified()).await.unwrap();
        replica.kill();
    }
    let mut replicas = [environment.start()];
    sessions.wait_until_done(&environment, &mut replicas).await;
    for replica in replicas {
        replica.stop().await;
    }
    let store = environment.store().await;
    let session = store.session_fetch(fatal).await.unwrap().unwrap();
    assert_eq!(session.status, SessionStatus::Failed);
    let reason = session.error_message.unwrap();
    assert!(
        reason.starts_with("the process crashed 3 times in a row at the same step (reacts: "),
        "{reason}"
    );
    assert_eq!(times.load(Ordering::Relaxed), 3, "the session was retried after it had failed");
    check_outcomes(&store, &sessions.entries[1..]).await;
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_kills_its_process_fails() {
    let fatal_request = Arc::new(Notify::new());
    let notify = Arc::clone(&fatal_request);
    let environment = TestEnvironment::on_sqlite(move |request| {
        if request.model != "chats" {
            return script::reply(request);
        }
        notify.notify_one();
        ScriptedReply::Hang
    })
    .await;
    let mut sessions = SessionSet::default();
    let store = environment.store().await;
    let session_id = sessions.submit_chain(&environment, &store, "one", true).await;
    store.close().await;
    let mut replica = environment.start();
    for _ in 0..3 {
        tokio::select! {
            () = fatal_request.notified() => {}
            () = sessions.wait_until_done(&environment, &mut []) => panic!("the question was answered"),
        }
        replica.kill();
        replica = environment.start();
    }
    let mut replicas = [replica];
    sessions.wait_until_done(&environment, &mut replicas).await;
    for replica in replicas {
        replica.stop().await;
    }
    let store = environment.store().await;
    let messages = store.chat_message_list(session_id).await.unwrap();
    let executions = store.execution_list(session_id).await.unwrap();
    store.close().await;
    let answer = "This question could not be answered: the process crashed on every attempt to answer";
    assert_eq!(messages[1].content, answer);
    assert!(executions.iter().all(|execution| execution.status.is_terminal()), "{executions:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_with_an_invalid_record_fails() {
    let environment = TestEnvironment::on_sqlite(script::reply).await;
    let store = environment.store().await;
    let session = new_session("unreadable");
    let session_id = session.session_id;
    store.session_insert(session, QueueLimit::Unlimited, Timestamp::now()).await.unwrap();
    store.close().await;

    let replica = environment.start();
    let ended = async || {
        let store = environment.store().await;
        let session = store.session_fetch(session_id).await.unwrap().unwrap();
        store.close().await;
        session.error_message.is_some_and(|reason| reason.contains("column chain_snapshot of"))
    };
    until(TIME_LIMIT, ended).await;
    replica.stop().await;
}
