//! Programs that misbehave.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tarsy_domain::{Secret, ToolStatus};
use tarsy_tools::{Isolation, Screen, ServerSettings, ServerState, ToolBox, Transport};
use tokio_util::sync::CancellationToken;

use crate::support::{
    assert_tool_changes_are_seen, call, drop_call, faulty, pool, stdio, tool_call, until_received,
    until_state,
};

/// Returns the error of a server that is unavailable, and how long it took.
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

/// Settings of the faulty server with a short start timeout.
fn short_start(mode: &str) -> ServerSettings {
    ServerSettings { start_within: Duration::from_secs(2), ..faulty(mode) }
}

async fn open(settings: ServerSettings) -> ToolBox {
    // Dropping the pool does not end servers that the toolbox uses.
    pool().open([settings]).await
}

#[tokio::test]
async fn names_a_missing_program() {
    let (error, _) = last_error(stdio("no-such-server", [""; 0])).await;
    assert!(error.starts_with("program `no-such-server` was not found in PATH (/"), "{error}");
}

#[tokio::test]
async fn reports_why_a_program_exited() {
    let (error, took) = last_error(faulty("exits")).await;
    assert!(error.contains("ended with exit status: 3"), "{error}");
    assert!(error.contains("it wrote: no licence found"), "{error}");
    assert!(took < Duration::from_secs(9), "{took:?}");
}

#[tokio::test]
async fn gives_up_on_a_program_that_never_responds() {
    let (error, took) = last_error(short_start("hangs")).await;
    assert_eq!(error, "the server was not ready within 2 s (`start_timeout`)");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[tokio::test]
async fn shows_output_that_is_not_mcp() {
    let (error, _) = last_error(short_start("babbles")).await;
    assert_eq!(
        error,
        "the server was not ready within 2 s (`start_timeout`); its output is not MCP: `Starting server, please wait...`"
    );
}

#[tokio::test]
async fn bounds_a_flood_on_standard_error() {
    let (error, took) = last_error(short_start("floods")).await;
    assert!(error.len() < 3000, "{}", error.len());
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[tokio::test]
async fn bounds_the_memory_of_an_endless_line() {
    let before = resident();
    let (error, took) = last_error(short_start("gushes")).await;
    assert!(error.starts_with("the server was not ready within 2 s (`start_timeout`)"), "{error}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(resident().saturating_sub(before) < 200 << 20);
}

#[tokio::test]
async fn other_servers_work_when_one_is_missing() {
    let mut missing = stdio("no-such-server", [""; 0]);
    missing.name = "missing".to_owned();
    let toolbox = pool().open([missing, faulty("serves")]).await;
    assert_eq!(call(&toolbox, "peer.fails", json!({})).await.status, ToolStatus::Error);
    let unknown = call(&toolbox, "missing.anything", json!({})).await;
    assert!(unknown.text.contains("unknown tool `missing.anything`"), "{unknown:?}");
    assert!(
        unknown.text.contains("The tools of `missing` are not available now: program `no-such-server`"),
        "{unknown:?}"
    );
}

#[tokio::test]
async fn the_error_of_a_tool_is_a_result_and_passes_the_screen() {
    let toolbox = open(faulty("serves")).await;
    let outcome = call(&toolbox, "fails", json!({})).await;
    assert_eq!(outcome.text, "the cluster is [hidden by peer]");
    assert_eq!((outcome.status, outcome.tool.as_deref()), (ToolStatus::Error, Some("peer.fails")));
}

#[tokio::test]
async fn does_not_retry_a_call_with_side_effects() {
    let toolbox = open(faulty("serves")).await;
    let outcome = call(&toolbox, "dies", json!({})).await;
    assert_eq!((outcome.status, outcome.attempts), (ToolStatus::Error, 1));
    assert!(outcome.text.contains("it is not known whether the tool ran"), "{outcome:?}");
    until_state(&toolbox, ServerState::Ready).await;
    let health = toolbox.health().remove(0);
    assert!(health.last_error.unwrap().contains("ended with exit status: 9"));
    assert_eq!(call(&toolbox, "talks", json!({})).await.text, "talked");
}

#[tokio::test]
async fn retries_a_read_only_call_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = faulty("serves");
    let Transport::Stdio(program) = &mut settings.transport else { unreachable!() };
    program.environment.insert("MARK".to_owned(), Secret::new(folder.path().join("mark").to_string_lossy()));
    let toolbox = open(settings).await;
    let outcome = call(&toolbox, "dies_once", json!({})).await;
    assert_eq!((outcome.text.as_str(), outcome.attempts), ("alive again", 2));
}

#[tokio::test]
async fn a_50_mb_response_fails_immediately_and_the_connection_stays() {
    let toolbox = open(faulty("serves")).await;
    let before = resident();
    let outcome = call(&toolbox, "big", json!({})).await;
    assert_eq!(outcome.status, ToolStatus::Error);
    assert!(
        outcome.text.contains("the response has 50 MiB, more than the limit of 32 MiB, and was not read"),
        "{outcome:?}"
    );
    assert!(outcome.duration < Duration::from_secs(10), "{:?}", outcome.duration);
    assert!(resident().saturating_sub(before) < 200 << 20);
    assert_eq!(call(&toolbox, "talks", json!({})).await.text, "talked");
}

/// Returns the resident memory of this process in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    status.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[tokio::test]
async fn cancellation_does_not_wait_for_a_server_that_ignores_it() {
    let toolbox = open(faulty("serves")).await;
    let cancel = CancellationToken::new();
    let endless = tool_call("never_returns", &json!({}));
    let began = Instant::now();
    let cancelling = async {
        until_received(&toolbox, "tools/call:never_returns").await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(toolbox.call(&endless, &cancel, |_| {}), cancelling);
    assert!(outcome.is_err());
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let received = call(&toolbox, "received", json!({})).await.text;
    assert!(received.contains("notifications/cancelled"), "{received}");
}

#[tokio::test]
async fn notifies_the_server_of_a_dropped_call() {
    drop_call(&open(faulty("serves")).await, &["notifications/cancelled"]).await;
}

#[tokio::test]
async fn a_call_ends_at_its_deadline_even_if_bytes_trickle_in() {
    let mut settings = faulty("serves");
    settings.call_within = Duration::from_millis(500);
    let toolbox = open(settings).await;
    for tool in ["never_returns", "trickles"] {
        let outcome = call(&toolbox, tool, json!({})).await;
        assert_eq!(
            (outcome.status, outcome.text.as_str()),
            (ToolStatus::TimedOut, "the tool did not respond within 0.5 s")
        );
        assert!(outcome.duration < Duration::from_secs(5), "{:?}", outcome.duration);
    }
}

#[tokio::test]
async fn lists_changed_tools_again() {
    let toolbox = open(faulty("serves")).await;
    assert_tool_changes_are_seen(&toolbox).await;
}

#[tokio::test]
async fn responds_to_requests_of_a_server() {
    let toolbox = open(faulty("serves")).await;
    let responses: Value =
        serde_json::from_str(&call(&toolbox, "requests_input", json!({})).await.text).unwrap();
    assert_eq!(responses["ping"], json!({}));
    assert_eq!(responses["roots"], json!({"roots": []}));
    assert_eq!(responses["sampling"]["message"], "this client does not offer sampling");
    assert_eq!(responses["elicitation"]["action"], "decline");
}

#[tokio::test]
async fn a_program_sees_only_its_configured_environment() {
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
async fn validates_arguments_before_sending_them() {
    let toolbox = open(faulty("serves")).await;
    let mut wrong = tool_call("peer__fails", &json!({}));
    wrong.arguments = "[1]".to_owned();
    let outcome = toolbox.call(&wrong, &CancellationToken::new(), |_| {}).await.unwrap();
    assert_eq!(
        (outcome.text.as_str(), outcome.attempts),
        ("the arguments must be a JSON object, got an array", 0)
    );
}

#[tokio::test]
async fn sends_converted_arguments_and_returns_them() {
    let toolbox = open(faulty("serves")).await;
    let written = json!({"state": 5, "limit": "1e2", "ids": "[1, \"2\"]"});
    let outcome = call(&toolbox, "typed", written).await;
    let sent = r#"{"state":"5","limit":100,"ids":[1,2]}"#;
    assert_eq!((outcome.text.as_str(), outcome.sent_arguments.as_deref()), (sent, Some(sent)));
    let unchanged = call(&toolbox, "typed", json!({"state": "5", "limit": 100})).await;
    assert_eq!((unchanged.status, unchanged.sent_arguments), (ToolStatus::Ok, None));
}

#[tokio::test]
async fn a_refused_argument_is_answered_with_the_parameters_that_exist() {
    let toolbox = open(faulty("serves")).await;
    let refused = call(&toolbox, "typed", json!({"state": "x", "job": "y"})).await;
    let takes = "takes: `state` (string), `limit` (integer, optional), `ids` (array of integer, optional)";
    assert!(refused.text.ends_with(&format!("- unknown parameter `job`; this tool {takes}")), "{refused:?}");
    assert_eq!(refused.attempts, 0);
    let by_server = call(&toolbox, "rejects", json!({"job": "y"})).await;
    assert_eq!(
        by_server.text,
        "the server returned error -32602: unknown argument job\nThis tool takes: `state` (string, optional)"
    );
}

#[tokio::test]
async fn executions_share_a_server_unless_it_is_isolated() {
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
async fn an_execution_may_have_its_own_screen() {
    let pool = pool();
    let screen = Screen::new(|_, text| text.replace("on fire", "warm"));
    let toolbox = pool.open_with_screen(screen, [faulty("serves")]).await;
    assert_eq!(call(&toolbox, "fails", json!({})).await.text, "the cluster is warm");
    let other = pool.open([faulty("serves")]).await;
    assert_eq!(call(&other, "fails", json!({})).await.text, "the cluster is [hidden by peer]");
    pool.close().await;
}
