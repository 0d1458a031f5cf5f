//! Programs that do what servers should not do.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tarsy_domain::{Secret, ToolStatus};
use tarsy_tools::{Isolation, Screen, ServerSettings, ServerState, ToolBox, Transport};
use tokio_util::sync::CancellationToken;

use crate::support::{abandon_a_call, call, faulty, pool, stdio, tool_call, until};

/// What is said about a server that cannot be used, and how soon.
async fn last_error(settings: ServerSettings) -> (String, Duration) {
    let began = Instant::now();
    let pool = pool();
    let toolbox = pool.open([settings]).await;
    let took = began.elapsed();
    let health = toolbox.health().remove(0);
    assert!(toolbox.tools().is_empty());
    assert_eq!(health.state, ServerState::Failed);
    pool.close().await;
    (health.last_error.unwrap(), took)
}

/// The faulty server, waited for only briefly.
fn impatient(mode: &str) -> ServerSettings {
    ServerSettings { start_within: Duration::from_secs(2), ..faulty(mode) }
}

async fn open(settings: ServerSettings) -> ToolBox {
    // Dropping the pool ends nothing that the box still uses.
    pool().open([settings]).await
}

#[tokio::test]
async fn a_program_that_is_missing_is_named() {
    let (error, _) = last_error(stdio("no-such-server", [""; 0])).await;
    assert!(error.starts_with("there is no program `no-such-server`; it was looked for in /"), "{error}");
}

#[tokio::test]
async fn a_program_that_exits_at_once_tells_why() {
    let (error, took) = last_error(faulty("exits")).await;
    assert!(error.contains("ended with exit status: 3"), "{error}");
    assert!(error.contains("it wrote: no licence found"), "{error}");
    assert!(took < Duration::from_secs(9), "{took:?}");
}

#[tokio::test]
async fn a_program_that_never_answers_is_given_up() {
    let (error, took) = last_error(impatient("hangs")).await;
    assert_eq!(error, "it was not ready within 2 s");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[tokio::test]
async fn output_that_is_not_mcp_is_shown() {
    let (error, _) = last_error(impatient("babbles")).await;
    assert_eq!(
        error,
        "it was not ready within 2 s; its output is not MCP: `Starting server, please wait...`"
    );
}

#[tokio::test]
async fn a_flood_on_standard_error_drowns_nobody() {
    let (error, took) = last_error(impatient("floods")).await;
    assert!(error.len() < 3000, "{}", error.len());
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[tokio::test]
async fn a_line_without_end_takes_no_more_memory_than_the_largest_message() {
    let before = resident();
    let (error, took) = last_error(impatient("gushes")).await;
    assert!(error.starts_with("it was not ready within 2 s"), "{error}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(resident().saturating_sub(before) < 200 << 20);
}

#[tokio::test]
async fn other_servers_are_there_when_one_is_not() {
    let mut missing = stdio("no-such-server", [""; 0]);
    missing.name = "missing".to_owned();
    let toolbox = pool().open([missing, faulty("serves")]).await;
    assert_eq!(call(&toolbox, "peer.fails", json!({})).await.status, ToolStatus::Error);
    let asked = call(&toolbox, "missing.anything", json!({})).await;
    assert!(asked.text.contains("unknown tool `missing.anything`"), "{asked:?}");
    assert!(
        asked.text.contains("The tools of `missing` cannot be used now: there is no program"),
        "{asked:?}"
    );
}

#[tokio::test]
async fn a_tool_that_fails_is_a_result_and_goes_through_the_screen() {
    let toolbox = open(faulty("serves")).await;
    let outcome = call(&toolbox, "fails", json!({})).await;
    assert_eq!(outcome.text, "the cluster is [hidden by peer]");
    assert_eq!((outcome.status, outcome.tool.as_deref()), (ToolStatus::Error, Some("peer.fails")));
}

#[tokio::test]
async fn a_call_that_may_change_something_is_not_repeated_when_the_server_dies() {
    let toolbox = open(faulty("serves")).await;
    let outcome = call(&toolbox, "dies", json!({})).await;
    assert_eq!((outcome.status, outcome.attempts), (ToolStatus::Error, 1));
    assert!(outcome.text.contains("whether the tool did its work is unknown"), "{outcome:?}");
    until(&toolbox, ServerState::Ready).await;
    let health = toolbox.health().remove(0);
    assert!(health.last_error.unwrap().contains("ended with exit status: 9"));
    assert_eq!(call(&toolbox, "talks", json!({})).await.text, "talked");
}

#[tokio::test]
async fn a_call_that_reads_only_is_repeated_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = faulty("serves");
    let Transport::Stdio(program) = &mut settings.transport else { unreachable!() };
    program.environment.insert("MARK".to_owned(), Secret::new(folder.path().join("mark").to_string_lossy()));
    let toolbox = open(settings).await;
    let outcome = call(&toolbox, "dies_once", json!({})).await;
    assert_eq!((outcome.text.as_str(), outcome.attempts), ("alive again", 2));
}

#[tokio::test]
async fn an_answer_of_50_mb_is_an_error_at_once_and_the_connection_stays() {
    let toolbox = open(faulty("serves")).await;
    let before = resident();
    let outcome = call(&toolbox, "big", json!({})).await;
    assert_eq!(outcome.status, ToolStatus::Error);
    assert!(
        outcome.text.contains("the answer has 50 MiB and was not read: 32 MiB is the most"),
        "{outcome:?}"
    );
    assert!(outcome.duration < Duration::from_secs(10), "{:?}", outcome.duration);
    assert!(resident().saturating_sub(before) < 200 << 20);
    assert_eq!(call(&toolbox, "talks", json!({})).await.text, "talked");
}

/// Bytes of memory in use.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    status.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[tokio::test]
async fn a_server_that_ignores_cancellation_holds_nobody_up_and_hears_of_it() {
    let toolbox = open(faulty("serves")).await;
    let cancel = CancellationToken::new();
    let deaf = tool_call("deaf", &json!({}));
    let began = Instant::now();
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(toolbox.call(&deaf, &cancel, |_| {}), cancelling);
    assert!(outcome.is_err());
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let received = call(&toolbox, "received", json!({})).await.text;
    assert!(received.contains("notifications/cancelled"), "{received}");
}

#[tokio::test]
async fn a_server_hears_of_a_call_that_was_dropped() {
    abandon_a_call(&open(faulty("serves")).await, &["notifications/cancelled"]).await;
}

#[tokio::test]
async fn a_call_ends_at_its_deadline_even_if_bytes_trickle_in() {
    let mut settings = faulty("serves");
    settings.call_within = Duration::from_millis(500);
    let toolbox = open(settings).await;
    for tool in ["deaf", "trickles"] {
        let outcome = call(&toolbox, tool, json!({})).await;
        assert_eq!(
            (outcome.status, outcome.text.as_str()),
            (ToolStatus::TimedOut, "no answer came within 0.5 s")
        );
        assert!(outcome.duration < Duration::from_secs(5), "{:?}", outcome.duration);
    }
}

#[tokio::test]
async fn a_changed_list_of_tools_is_listed_again() {
    let toolbox = open(faulty("serves")).await;
    let before = toolbox.tools().len();
    call(&toolbox, "changes", json!({})).await;
    for _ in 0..100 {
        if toolbox.tools().len() == before + 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the new tool never showed");
}

#[tokio::test]
async fn what_a_server_asks_of_us_is_answered_politely() {
    let toolbox = open(faulty("serves")).await;
    let answers: Value = serde_json::from_str(&call(&toolbox, "asks", json!({})).await.text).unwrap();
    assert_eq!(answers["ping"], json!({}));
    assert_eq!(answers["roots"], json!({"roots": []}));
    assert_eq!(answers["sampling"]["message"], "this client does not offer sampling");
    assert_eq!(answers["elicitation"]["action"], "decline");
}

#[tokio::test]
async fn a_program_sees_only_the_environment_it_is_given() {
    let mut settings = faulty("serves");
    let Transport::Stdio(program) = &mut settings.transport else { unreachable!() };
    program.environment.insert("TOKEN".to_owned(), Secret::new("its own"));
    let toolbox = open(settings).await;
    let environment: Value =
        serde_json::from_str(&call(&toolbox, "environment", json!({})).await.text).unwrap();
    let mut names: Vec<_> = environment.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["HOME", "PATH", "TOKEN"]);
}

#[tokio::test]
async fn arguments_are_checked_before_they_are_sent() {
    let toolbox = open(faulty("serves")).await;
    let mut wrong = tool_call("peer__fails", &json!({}));
    wrong.arguments = "[1]".to_owned();
    let outcome = toolbox.call(&wrong, &CancellationToken::new(), |_| {}).await.unwrap();
    assert_eq!((outcome.text.as_str(), outcome.attempts), ("the arguments must be a JSON object", 0));
}

#[tokio::test]
async fn a_shared_server_is_one_process_and_an_isolated_one_is_several() {
    let pool = pool();
    let shared = faulty("serves");
    let isolated = ServerSettings { isolation: Isolation::Execution, ..shared.clone() };
    let mut received = Vec::new();
    for settings in [&shared, &shared, &isolated, &isolated] {
        let toolbox = pool.open([settings.clone()]).await;
        call(&toolbox, "talks", json!({})).await;
        received.push(call(&toolbox, "received", json!({})).await.text.matches("tools/call").count());
        toolbox.close().await;
    }
    assert_eq!(received, [2, 4, 2, 2]);
    assert_eq!(pool.health().len(), 1);
    pool.close().await;
}

#[tokio::test]
async fn an_execution_with_a_screen_of_its_own_sees_through_that_one() {
    let pool = pool();
    let screen = Screen::new(|_, text| text.replace("on fire", "warm"));
    let toolbox = pool.open_behind(screen, [faulty("serves")]).await;
    assert_eq!(call(&toolbox, "fails", json!({})).await.text, "the cluster is warm");
    let other = pool.open([faulty("serves")]).await;
    assert_eq!(call(&other, "fails", json!({})).await.text, "the cluster is [hidden by peer]");
    pool.close().await;
}
