//! No process of a server remains after the server is closed or crashes, or after our process is killed.

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use tarsy_domain::Secret;
use tarsy_tools::{ServerState, Transport};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use crate::support::{
    PROBE, alive, call, descendants, faulty, peers, pool, script, until_exited, until_failure, until_state,
};

async fn spawn_children(toolbox: &tarsy_tools::ToolBox) -> Vec<u32> {
    let text = call(toolbox, "spawns_children", json!({})).await.text;
    let pids: Vec<u32> = text.split(' ').map(|pid| pid.parse().unwrap()).collect();
    assert!(pids.iter().all(|pid| alive(*pid)), "{text}");
    pids
}

#[tokio::test]
async fn closing_ends_descendants_that_left_the_group_or_ignore_sigterm() {
    let pool = pool();
    let toolbox = pool.open([faulty("serves")]).await;
    let pids = spawn_children(&toolbox).await;
    pool.close().await;
    assert!(pids.iter().all(|pid| !alive(*pid)), "{pids:?}");
}

#[tokio::test]
async fn dropping_pool_and_toolbox_ends_descendants() {
    let pool = pool();
    let toolbox = pool.open([faulty("serves")]).await;
    let pids = spawn_children(&toolbox).await;
    drop((pool, toolbox));
    until_exited(&pids).await;
}

#[tokio::test]
async fn descendants_of_a_crashed_server_are_ended() {
    let pool = pool();
    let toolbox = pool.open([faulty("serves")]).await;
    let pids = spawn_children(&toolbox).await;
    call(&toolbox, "dies", json!({})).await;
    until_exited(&pids).await;
    until_state(&toolbox, ServerState::Ready).await;
    pool.close().await;
}

#[tokio::test]
async fn a_program_that_never_becomes_ready_is_ended() {
    let marker = format!("marker-{}", std::process::id());
    let mut settings = faulty("hangs");
    let Transport::Stdio(program) = &mut settings.transport else { unreachable!() };
    program.arguments.push(Secret::new(&marker));
    settings.start_within = Duration::from_millis(500);
    let pool = pool();
    let toolbox = pool.open([settings]).await;
    let first = with_argument(&marker);
    assert!(!first.is_empty());
    assert_eq!(toolbox.health()[0].state, ServerState::Failed);
    until_exited(&first).await;
    pool.close().await;
    assert!(with_argument(&marker).is_empty());
}

/// Returns living processes that were started with an argument.
fn with_argument(argument: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let has = |pid: &u32| {
        let command = std::fs::read_to_string(format!("/proc/{pid}/cmdline"));
        command.is_ok_and(|command| command.split('\0').any(|part| part == argument))
    };
    pids.filter(has).filter(|pid| alive(*pid)).collect()
}

/// Kills a process that holds a server, and waits until all its descendants have exited.
async fn assert_kill_leaves_nothing(arguments: &[String]) {
    let mut parent = Command::new(PROBE).arg("hold").args(arguments).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(parent.stdout.take().unwrap()).lines();
    let ready = lines.next_line().await.unwrap().unwrap();
    assert!(ready.contains("Ready"), "{ready}");
    let pids = descendants(parent.id().unwrap());
    assert!(pids.len() >= 2, "{pids:?}");
    parent.start_kill().unwrap();
    parent.wait().await.unwrap();
    until_exited(&pids).await;
}

#[tokio::test]
async fn killing_our_process_leaves_no_server_behind() {
    let everything = peers().join("node_modules/.bin/mcp-server-everything");
    assert_kill_leaves_nothing(&[everything.to_string_lossy().into_owned(), "stdio".to_owned()]).await;
}

#[tokio::test]
async fn killing_our_process_ends_a_shell_that_ignores_the_end_of_its_input() {
    let stubborn = format!("trap '' TERM; sleep 600 & node {} serves; sleep 600", script("faulty.mjs"));
    assert_kill_leaves_nothing(&["sh".to_owned(), "-c".to_owned(), stubborn]).await;
}

#[tokio::test]
async fn a_killed_guard_is_detected_and_its_server_ended() {
    let pool = pool();
    let toolbox = pool.open([faulty("serves")]).await;
    let own = std::process::id();
    let pids = spawn_children(&toolbox).await;
    let guards = descendants(own);
    let guard = guards.into_iter().find(|pid| descendants(*pid).contains(&pids[1])).unwrap();
    let kill = Command::new("kill").args(["-9", &guard.to_string()]).status().await.unwrap();
    assert!(kill.success());
    // Without the guard, the child in its own session is out of reach; the others must exit.
    until_exited(&pids[1..]).await;
    until_failure(&toolbox).await;
    until_state(&toolbox, ServerState::Ready).await;
    pool.close().await;
    let _ = Command::new("kill").args(["-9", &pids[0].to_string()]).status().await.unwrap();
}
