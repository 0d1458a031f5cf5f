//! Nothing of a server is left when it is closed, when it dies, and when we do.

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use tarsy_domain::Secret;
use tarsy_tools::{ServerState, Transport};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use crate::support::{PROBE, alive, below, call, faulty, peers, pool, script, until, until_gone};

async fn breed(toolbox: &tarsy_tools::ToolBox) -> Vec<u32> {
    let text = call(toolbox, "breeds", json!({})).await.text;
    let pids: Vec<u32> = text.split(' ').map(|pid| pid.parse().unwrap()).collect();
    assert!(pids.iter().all(|pid| alive(*pid)), "{text}");
    pids
}

#[tokio::test]
async fn closing_ends_descendants_that_left_the_group_or_ignore_to_be_terminated() {
    let pool = pool();
    let toolbox = pool.open([faulty("serves")]).await;
    let pids = breed(&toolbox).await;
    pool.close().await;
    assert!(pids.iter().all(|pid| !alive(*pid)), "{pids:?}");
}

#[tokio::test]
async fn dropping_everything_ends_it_too() {
    let pool = pool();
    let toolbox = pool.open([faulty("serves")]).await;
    let pids = breed(&toolbox).await;
    drop((pool, toolbox));
    until_gone(&pids).await;
}

#[tokio::test]
async fn a_server_that_dies_takes_its_descendants_along() {
    let pool = pool();
    let toolbox = pool.open([faulty("serves")]).await;
    let pids = breed(&toolbox).await;
    call(&toolbox, "dies", json!({})).await;
    until_gone(&pids).await;
    until(&toolbox, ServerState::Ready).await;
    pool.close().await;
}

#[tokio::test]
async fn a_program_that_never_became_ready_is_ended_whenever_it_is_given_up() {
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
    until_gone(&first).await;
    pool.close().await;
    assert!(with_argument(&marker).is_empty());
}

/// Living processes that were started with an argument.
fn with_argument(argument: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let has = |pid: &u32| {
        let command = std::fs::read_to_string(format!("/proc/{pid}/cmdline"));
        command.is_ok_and(|command| command.split('\0').any(|part| part == argument))
    };
    pids.filter(has).filter(|pid| alive(*pid)).collect()
}

/// Kills a process that holds a server, and waits until nothing below it is left.
async fn killed_parent_leaves_nothing(arguments: &[String]) {
    let mut parent = Command::new(PROBE).arg("hold").args(arguments).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(parent.stdout.take().unwrap()).lines();
    let ready = lines.next_line().await.unwrap().unwrap();
    assert!(ready.contains("Ready"), "{ready}");
    let pids = below(parent.id().unwrap());
    assert!(pids.len() >= 2, "{pids:?}");
    parent.start_kill().unwrap();
    parent.wait().await.unwrap();
    until_gone(&pids).await;
}

#[tokio::test]
async fn a_kill_of_our_process_leaves_no_server_behind() {
    let everything = peers().join("node_modules/.bin/mcp-server-everything");
    killed_parent_leaves_nothing(&[everything.to_string_lossy().into_owned(), "stdio".to_owned()]).await;
}

#[tokio::test]
async fn nor_one_behind_a_shell_that_ignores_the_end_of_its_input() {
    let stubborn = format!("trap '' TERM; sleep 600 & node {} serves; sleep 600", script("faulty.mjs"));
    killed_parent_leaves_nothing(&["sh".to_owned(), "-c".to_owned(), stubborn]).await;
}

#[tokio::test]
async fn a_guard_that_is_killed_is_noticed_and_its_server_ended() {
    let pool = pool();
    let toolbox = pool.open([faulty("serves")]).await;
    let own = std::process::id();
    let pids = breed(&toolbox).await;
    let guards = below(own);
    let guard = guards.into_iter().find(|pid| below(*pid).contains(&pids[1])).unwrap();
    let kill = Command::new("kill").args(["-9", &guard.to_string()]).status().await.unwrap();
    assert!(kill.success());
    // The one in a session of its own is out of reach without the guard; the rest must go.
    until_gone(&pids[1..]).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    until(&toolbox, ServerState::Ready).await;
    pool.close().await;
    let _ = Command::new("kill").args(["-9", &pids[0].to_string()]).status().await.unwrap();
}
