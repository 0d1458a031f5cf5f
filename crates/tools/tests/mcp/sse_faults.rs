//! Servers over server-sent events that misbehave.

use std::time::{Duration, Instant};

use serde_json::json;
use tarsy_domain::ToolStatus;
use tarsy_tools::{HttpEndpoint, ServerSettings, ServerState, ToolBox, Transport};
use tokio::process::{Child, Command};

use crate::support::{call, drop_call, listening, pool, script, until_state};

async fn server(mode: &str) -> (Child, ServerSettings) {
    let mut command = Command::new("node");
    command.args([&script("faulty-sse.mjs"), mode]);
    let (child, port) = listening(command).await;
    let endpoint = HttpEndpoint::new(format!("http://127.0.0.1:{port}/sse"));
    let mut settings = ServerSettings::new("peer", Transport::Sse(endpoint));
    settings.start_within = Duration::from_secs(2);
    settings.call_within = Duration::from_secs(20);
    (child, settings)
}

async fn last_error(mode: &str) -> String {
    let (_server, settings) = server(mode).await;
    let began = Instant::now();
    let health = pool().open([settings]).await.health().remove(0);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!(health.state, ServerState::Failed, "{health:?}");
    health.last_error.unwrap()
}

async fn open() -> (Child, ToolBox) {
    let (server, settings) = server("serves").await;
    (server, pool().open([settings]).await)
}

#[tokio::test]
async fn reports_why_a_server_is_unavailable() {
    assert!(last_error("unauthorized").await.starts_with("the server returned HTTP 401 Unauthorized"));
    assert_eq!(last_error("silent").await, "the server was not ready within 2 s (`start_timeout`)");
    assert!(last_error("elsewhere").await.contains("its `endpoint` event points to another server"));
    assert!(last_error("ends").await.contains("the stream ended before its `endpoint` event"));
}

#[tokio::test]
async fn a_stream_that_ends_during_a_call_fails_it_and_is_reopened() {
    let (_server, toolbox) = open().await;
    let outcome = call(&toolbox, "dies", json!({})).await;
    assert_eq!((outcome.status, outcome.attempts), (ToolStatus::Error, 1), "{outcome:?}");
    assert!(outcome.text.contains("it is not known whether the tool ran"), "{outcome:?}");
    assert!(outcome.duration < Duration::from_secs(10), "{outcome:?}");
    until_state(&toolbox, ServerState::Ready).await;
    assert_eq!(call(&toolbox, "reports", json!({})).await.text, "well");
}

#[tokio::test]
async fn a_50_mb_response_fails_and_the_connection_stays() {
    let (_server, toolbox) = open().await;
    let outcome = call(&toolbox, "big", json!({})).await;
    assert_eq!(outcome.status, ToolStatus::Error);
    assert!(outcome.text.contains("more than the limit of 32 MiB"), "{outcome:?}");
    assert_eq!(call(&toolbox, "reports", json!({})).await.text, "well");
    assert_eq!(toolbox.health()[0].last_error, None);
}

#[tokio::test]
async fn a_lost_session_fails_the_call_and_is_reopened() {
    let (_server, toolbox) = open().await;
    let outcome = call(&toolbox, "forgets", json!({})).await;
    assert_eq!(outcome.status, ToolStatus::Error);
    assert!(outcome.text.contains("404"), "{outcome:?}");
    assert_eq!(call(&toolbox, "reports", json!({})).await.text, "well");
}

#[tokio::test]
async fn reports_an_overloaded_server_and_keeps_the_connection() {
    let (_server, toolbox) = open().await;
    let busy = call(&toolbox, "overloaded", json!({})).await;
    assert_eq!(busy.text, "the server returned HTTP 503 Service Unavailable; response: too busy");
    assert_eq!(call(&toolbox, "reports", json!({})).await.text, "well");
    assert_eq!(toolbox.health()[0].last_error, None);
}

#[tokio::test]
async fn notifies_the_server_of_a_dropped_call() {
    let (_server, toolbox) = open().await;
    drop_call(&toolbox, &["notifications/cancelled"]).await;
}

#[tokio::test]
async fn a_call_ends_at_its_deadline_even_if_bytes_trickle_in() {
    let (_server, mut settings) = server("serves").await;
    settings.call_within = Duration::from_millis(500);
    let toolbox = pool().open([settings]).await;
    for tool in ["never_returns", "trickles"] {
        let outcome = call(&toolbox, tool, json!({})).await;
        assert_eq!(outcome.status, ToolStatus::TimedOut, "{outcome:?}");
        assert!(outcome.duration < Duration::from_secs(5), "{:?}", outcome.duration);
    }
}
