//! Servers over streamable HTTP that misbehave.

use std::time::{Duration, Instant};

use serde_json::json;
use tarsy_domain::{Secret, ToolStatus};
use tarsy_tools::{HttpEndpoint, ServerSettings, ServerState, ToolBox, Transport};
use tokio::process::{Child, Command};

use crate::support::{PROBE, call, drop_call, free_port, listening, pool, script};

async fn server(arguments: &[&str]) -> (Child, u16) {
    let mut command = Command::new("node");
    command.arg(script("faulty-http.mjs")).args(arguments);
    listening(command).await
}

fn settings(endpoint: HttpEndpoint) -> ServerSettings {
    let mut settings = ServerSettings::new("peer", Transport::Http(endpoint));
    settings.start_within = Duration::from_secs(3);
    settings.call_within = Duration::from_secs(10);
    settings
}

fn at(port: u16) -> HttpEndpoint {
    HttpEndpoint::new(format!("http://127.0.0.1:{port}/mcp"))
}

async fn last_error(endpoint: HttpEndpoint) -> String {
    let toolbox = pool().open([settings(endpoint)]).await;
    let health = toolbox.health().remove(0);
    assert_eq!(health.state, ServerState::Failed, "{health:?}");
    health.last_error.unwrap()
}

async fn open(port: u16) -> ToolBox {
    pool().open([settings(at(port))]).await
}

#[tokio::test]
async fn reports_an_unreachable_server() {
    let error = last_error(at(free_port())).await;
    assert!(error.starts_with("no connection to the server: "), "{error}");
    assert!(error.contains("Connection refused"), "{error}");
}

#[tokio::test]
async fn reports_wrong_credentials_and_sends_the_right_ones() {
    let (_server, port) = server(&["unauthorized"]).await;
    let error = last_error(HttpEndpoint { bearer: Some(Secret::new("wrong")), ..at(port) }).await;
    assert_eq!(
        error,
        "the server returned HTTP 401 Unauthorized: check `bearer_token` and `headers`; response: go away"
    );
    let mut right = HttpEndpoint { bearer: Some(Secret::new("right")), ..at(port) };
    right.headers.insert("X-Team".to_owned(), Secret::new("blue"));
    let toolbox = pool().open([settings(right)]).await;
    assert_eq!(call(&toolbox, "reports", json!({})).await.text, "session s1 blue");
}

#[tokio::test]
async fn reports_a_web_page_and_a_wrong_path() {
    let (_page, port) = server(&["page"]).await;
    assert_eq!(
        last_error(at(port)).await,
        "the response of the server is not MCP: its content type is text/html"
    );
    let (_missing, port) = server(&["missing"]).await;
    let error = last_error(at(port)).await;
    assert!(error.contains("HTTP 404 Not Found: check the path in `url`"), "{error}");
}

#[tokio::test]
async fn gives_up_on_a_server_that_hangs_or_trickles_at_start() {
    for mode in ["hangs", "trickles"] {
        let (_server, port) = server(&[mode]).await;
        let began = Instant::now();
        assert_eq!(last_error(at(port)).await, "the server was not ready within 3 s (`start_timeout`)");
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    }
}

#[tokio::test]
async fn reopens_a_lost_session() {
    let (_server, port) = server(&["serves"]).await;
    let toolbox = open(port).await;
    let outcome = call(&toolbox, "forgets", json!({})).await;
    assert_eq!(outcome.text.trim(), "session s2", "{outcome:?}");
}

#[tokio::test]
async fn retries_after_a_broken_connection_only_if_the_tool_allows_it() {
    let (_server, port) = server(&["serves"]).await;
    let toolbox = open(port).await;
    let repeated = call(&toolbox, "breaks", json!({})).await;
    assert_eq!((repeated.status, repeated.attempts), (ToolStatus::Ok, 2), "{repeated:?}");
    let broken = call(&toolbox, "breaks_midway", json!({})).await;
    assert_eq!((broken.status, broken.attempts), (ToolStatus::Error, 1), "{broken:?}");
    assert!(broken.duration < Duration::from_secs(9), "{broken:?}");
}

#[tokio::test]
async fn reports_an_overloaded_server_and_keeps_the_connection() {
    let (_server, port) = server(&["serves"]).await;
    let toolbox = open(port).await;
    let busy = call(&toolbox, "overloaded", json!({})).await;
    assert_eq!(busy.text, "the server returned HTTP 503 Service Unavailable; response: too busy");
    assert_eq!(toolbox.health()[0].state, ServerState::Ready);
}

#[tokio::test]
async fn a_50_mb_response_fails_and_the_connection_stays() {
    let (_server, port) = server(&["serves"]).await;
    let toolbox = open(port).await;
    for tool in ["big_json", "big_event"] {
        let outcome = call(&toolbox, tool, json!({})).await;
        assert_eq!(outcome.status, ToolStatus::Error);
        assert!(outcome.text.contains("more than the limit of 32 MiB"), "{tool}: {outcome:?}");
    }
    assert_eq!(call(&toolbox, "reports", json!({})).await.text.trim(), "session s1");
}

#[tokio::test]
async fn bounds_the_memory_of_50_mb_responses() {
    let (_server, port) = server(&["big"]).await;
    let visit = Command::new(PROBE).args(["visit", &format!("http://127.0.0.1:{port}/mcp")]).output().await;
    let output = String::from_utf8(visit.unwrap().stdout).unwrap();
    assert_eq!(output.matches("more than the limit of 32 MiB").count(), 2, "{output}");
    let peak = output.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    // The program itself, and a buffer that doubled until it held 32 MiB.
    assert!(peak.unwrap().parse::<u64>().unwrap() < 128 * 1024, "{output}");
}

#[tokio::test]
async fn notifies_the_server_of_a_dropped_call() {
    let (_server, port) = server(&["serves"]).await;
    drop_call(&open(port).await, &["notifications/cancelled", "hung-up"]).await;
}

#[tokio::test]
async fn a_call_ends_at_its_deadline_even_if_bytes_trickle_in() {
    let (_server, port) = server(&["serves"]).await;
    let mut settings = settings(at(port));
    settings.call_within = Duration::from_millis(500);
    let toolbox = pool().open([settings]).await;
    let outcome = call(&toolbox, "trickles", json!({})).await;
    assert_eq!(outcome.status, ToolStatus::TimedOut);
    assert!(outcome.duration < Duration::from_secs(5), "{:?}", outcome.duration);
}

#[tokio::test]
async fn verifies_certificates_unless_disabled() {
    let folder = tempfile::tempdir().unwrap();
    let (key, cert) = (folder.path().join("key.pem"), folder.path().join("cert.pem"));
    let (key, cert) = (key.to_str().unwrap(), cert.to_str().unwrap());
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"])
        .args(["-days", "1", "-subj", "/CN=localhost", "-keyout", key, "-out", cert])
        .output();
    assert!(made.await.unwrap().status.success());
    let (_server, port) = server(&["serves", key, cert]).await;
    let endpoint = HttpEndpoint::new(format!("https://localhost:{port}/mcp"));
    let error = last_error(endpoint.clone()).await;
    assert!(error.contains("no connection to the server") && error.contains("certificate"), "{error}");
    let toolbox = pool().open([settings(HttpEndpoint { verify_tls: false, ..endpoint })]).await;
    assert_eq!(call(&toolbox, "reports", json!({})).await.text.trim(), "session s1");
}
