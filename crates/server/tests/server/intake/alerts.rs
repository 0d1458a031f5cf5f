//! `POST /api/v1/alerts`.

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use serde_json::{Value, json};
use tarsy_config::ResolvedChain;
use tarsy_domain::{SessionId, Timestamp};
use tarsy_store::{ClaimLimit, SessionInput};
use tarsy_testkit::{TestDatabase, both_engines};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::app::{ApiResponse, CONFIG, TestApp};

const ALERTS: &str = "/api/v1/alerts";

async fn input(app: &TestApp, response: &ApiResponse) -> SessionInput {
    let session_id: SessionId = response.body["session_id"].as_str().unwrap().parse().unwrap();
    app.store.session_input_fetch(session_id).await.unwrap().unwrap()
}

both_engines! {
    async fn a_session_is_committed_when_the_response_is_sent(database) {
        let app = TestApp::new(database);
        let data = "{\"disk\" : 1.50,\n  \"at\": \"\\u2603\", \"disk\": 2}";
        let response = app
            .post_json(ALERTS, &format!(r#"{{"alert_type": "DiskFull", "alert_id": "a-1", "author": "ann", "data": {data}}}"#))
            .await;
        assert_eq!(response.status, StatusCode::ACCEPTED);
        let session = app.store.session_fetch_by_alert("a-1").await.unwrap().unwrap();
        assert_eq!(
            response.body,
            json!({
                "session_id": session.session_id, "alert_id": "a-1", "status": "queued",
                "message": "The alert is queued for investigation.",
            })
        );
        assert_eq!((session.alert_type.as_str(), session.chain_id.as_str()), ("DiskFull", "disks"));
        assert_eq!((session.author.as_deref(), session.stages_total), (Some("ann"), 2));
        assert_eq!(input(&app, &response).await.alert_data, data);
    }

    async fn concurrent_submissions_of_one_alert_create_one_session(database) {
        let app = std::sync::Arc::new(TestApp::new(database));
        let mut senders = JoinSet::new();
        for number in 0..16 {
            let app = app.clone();
            let body = format!(r#"{{"alert_id": "storm", "data": "from sender {number}"}}"#);
            senders.spawn(async move { app.post_json(ALERTS, &body).await });
        }
        let responses = senders.join_all().await;
        let accepted = responses.iter().filter(|response| response.status == StatusCode::ACCEPTED).count();
        let repeated = responses.iter().filter(|response| response.status == StatusCode::OK).count();
        assert_eq!((accepted, repeated), (1, 15));
        assert!(responses.iter().all(|response| response.body["session_id"] == responses[0].body["session_id"]));
        assert_eq!(app.sessions().await.len(), 1);
    }

    async fn masks_secrets_before_storing(database) {
        let app = TestApp::new(database);
        let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
        let body = json!({
            "data": { "note": format!("token {token}"), "again": token },
            "runbook": "https://robot:hunter2hunter2@wiki.example.com/runbook",
            "author": format!("bot {token}"),
        });
        let response = app.post_json(ALERTS, &body.to_string()).await;
        let session = &app.sessions().await[0];
        let stored = format!("{:?} {:?}", session, input(&app, &response).await);
        assert!(!stored.contains(token) && !stored.contains("hunter2"), "{stored}");
        let input = input(&app, &response).await;
        assert!(input.runbook.unwrap().ends_with("@wiki.example.com/runbook"));
        assert!(input.masked_values.is_some());
    }
}

#[tokio::test]
async fn accepts_the_short_url_and_other_content_types() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    let text = "disk full\r\n\ton node-7";
    let response = app.post("/alerts?alert_type=DiskFull", &[("content-type", "text/plain")], text).await;
    assert_eq!(response.status, StatusCode::ACCEPTED);
    assert_eq!(response.body["alert_id"], response.body["session_id"]);
    assert_eq!(input(&app, &response).await.alert_data, text);
    let response = app.post("/alerts", &[], "no content type").await;
    assert_eq!(response.status, StatusCode::ACCEPTED);
    let types: Vec<String> = app.sessions().await.into_iter().map(|session| session.alert_type).collect();
    assert_eq!(types, ["Anything", "DiskFull"]);
    database.remove().await;
}

#[tokio::test]
async fn a_repeated_alert_returns_the_status_of_its_session() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    let body = r#"{"alert_id": "a", "data": "x"}"#;
    let first = app.post_json(ALERTS, body).await;
    let queued = app.post_json(ALERTS, body).await;
    assert_eq!((queued.status, &queued.body["status"]), (StatusCode::OK, &json!("queued")));
    let lease = std::time::Duration::from_secs(60);
    app.store.queue_claim("w", ClaimLimit::Unlimited, Timestamp::now(), lease).await.unwrap();
    let running = app.post_json(ALERTS, body).await;
    assert_eq!((running.status, &running.body["status"]), (StatusCode::OK, &json!("in_progress")));
    assert_eq!(running.body["message"], "The alert was submitted before; its session is in_progress.");
    assert_eq!(running.body["session_id"], first.body["session_id"]);
    database.remove().await;
}

#[tokio::test]
async fn unknown_names_are_reported_with_the_known_ones() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    let cases = [
        (
            json!({ "data": "x", "alert_type": "DiskFul" }),
            "400 alert_type: no chain handles the alert type `DiskFul`, did you mean `DiskFull`? available: \
             Anything, DiskFull, KubernetesIssue, NamespaceTerminating, PodFailure, kubernetes",
        ),
        (
            json!({ "data": "x", "mcp": { "servers": [{ "name": "metrics" }, { "name": "logs" }] } }),
            "400 mcp.servers[1].name: unknown MCP server `logs`, available: cluster, kubernetes-server, metrics",
        ),
        (
            json!({ "data": "x", "mcp": { "servers": [{ "name": "cluster", "tools": ["pods_list", "pods_delete"] }] } }),
            "400 mcp.servers[0].tools[1]: the tool filter of server `cluster` excludes `pods_delete`; \
             allowed: pods_*, nodes_list; denied: pods_delete",
        ),
        (
            json!({ "data": "x", "mcp": { "servers": [{ "name": "metrics" }, { "name": "metrics" }] } }),
            "400 mcp.servers[1].name: `metrics` is listed twice",
        ),
        (
            json!({ "data": "x", "mcp": { "servers": [] } }),
            "400 mcp.servers: must not be empty; omit it to use the servers of the chain",
        ),
        (
            json!({ "data": "x", "mcp": { "servers": [{ "name": "cluster", "tools": [] }] } }),
            "400 mcp.servers[0].tools: must not be empty; omit it to use all tools",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(app.post_json(ALERTS, &body.to_string()).await.error(), expected);
    }
    let wrong = app.post("/alerts?alerttype=DiskFull", &[], "x").await.error();
    assert_eq!(wrong, "400 alerttype: unknown parameter; expected one of: alert_type");
    assert_eq!(app.sessions().await.len(), 0);
    database.remove().await;
}

#[tokio::test]
async fn selected_servers_and_tools_replace_those_of_the_chain() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    let mcp = json!({
        "servers": [{ "name": "metrics", "tools": ["query"] }],
        "native_tools": { "google_search": true },
    });
    let response = app.post_json(ALERTS, &json!({ "data": "x", "mcp": mcp }).to_string()).await;
    let input = input(&app, &response).await;
    let chain: ResolvedChain = serde_json::from_str(&input.chain_snapshot).unwrap();
    let agent = &chain.stages[0].agents[0];
    assert_eq!(agent.mcp_servers, ["metrics"]);
    assert_eq!(agent.native_tools.google_search, Some(true));
    let selection: Value = serde_json::from_str(&input.mcp_selection.unwrap()).unwrap();
    assert_eq!(selection, mcp);
    database.remove().await;
}

#[tokio::test]
async fn ignores_user_headers_of_the_sender() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    app.post("/alerts", &[("x-forwarded-user", "root"), ("x-remote-user", "root")], "x").await;
    assert_eq!(app.sessions().await[0].author, None);
    database.remove().await;
}

#[tokio::test]
async fn a_full_queue_is_reported_with_a_retry_delay() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::with(&database, &CONFIG.replace("max_queue_size: 1000", "max_queue_size: 2"));
    for number in 0..2 {
        app.post_json(ALERTS, &format!(r#"{{"alert_id": "a{number}", "data": "x"}}"#)).await;
    }
    let full = app.post_json(ALERTS, r#"{"alert_id": "a2", "data": "x"}"#).await;
    assert_eq!(full.error(), "429 the queue is full; retry in 10 s");
    assert_eq!(full.headers["retry-after"], "10");
    let known = app.post_json(ALERTS, r#"{"alert_id": "a1", "data": "x"}"#).await;
    assert_eq!(known.status, StatusCode::OK);
    database.remove().await;
}

#[tokio::test]
async fn rejects_alerts_during_shutdown() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    app.stopping.cancel();
    let response = app.post_json(ALERTS, r#"{"data": "x"}"#).await;
    assert_eq!(response.error(), "503 the server is shutting down; retry in 5 s");
    assert_eq!(response.headers["retry-after"], "5");
    assert_eq!(app.sessions().await.len(), 0);
    database.remove().await;
}

#[tokio::test]
async fn rejects_oversized_data() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    // A body without a declared length.
    let pieces = (0..17).map(|_| Ok::<_, std::io::Error>(Bytes::from(vec![b'a'; 64 << 10])));
    let pieces = futures_util::stream::iter(pieces);
    let response = app.post("/alerts", &[], Body::from_stream(pieces)).await;
    assert_eq!(response.error(), "413 data is larger than the limit of 1048576 bytes");
    assert_eq!(app.sessions().await.len(), 0);
    database.remove().await;
}

/// What the client does after it has sent its request.
#[derive(PartialEq)]
enum AfterSending {
    KeepOpen,
    /// Ends its side of the connection. The server may then abandon a request that it has received completely.
    Close,
}

/// Sends raw bytes and returns the complete response.
async fn send_raw(app: &TestApp, request: Vec<u8>, after: AfterSending) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = app.router();
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    let mut connection = TcpStream::connect(address).await.unwrap();
    connection.write_all(&request).await.unwrap();
    if after == AfterSending::Close {
        connection.shutdown().await.unwrap();
    }
    let mut response = Vec::new();
    connection.read_to_end(&mut response).await.unwrap();
    serving.abort();
    String::from_utf8_lossy(&response).into_owned()
}

fn request(length: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("POST /alerts HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

#[tokio::test]
async fn the_declared_length_of_a_body_does_not_matter() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    let much = vec![b'a'; 3 << 20];
    let error = "data is larger than the limit of 1048576 bytes";
    let honest =
        send_raw(&app, request(&format!("content-length: {}", much.len()), &much), AfterSending::KeepOpen)
            .await;
    assert!(honest.starts_with("HTTP/1.1 413 ") && honest.contains(error), "{honest}");

    let chunk = [format!("{:x}\r\n", much.len()).as_bytes(), &much, b"\r\n0\r\n\r\n"].concat();
    let silent = send_raw(&app, request("transfer-encoding: chunked", &chunk), AfterSending::KeepOpen).await;
    assert!(silent.starts_with("HTTP/1.1 413 ") && silent.contains(error), "{silent}");

    let too_short =
        send_raw(&app, request("content-length: 4", b"tiny and more"), AfterSending::KeepOpen).await;
    assert!(too_short.starts_with("HTTP/1.1 202 "), "{too_short}");
    let too_long = send_raw(&app, request("content-length: 400", b"tiny"), AfterSending::Close).await;
    assert!(too_long.starts_with("HTTP/1.1 400 "), "{too_long}");
    let sessions = app.sessions().await;
    assert_eq!(sessions.len(), 1);
    let input = app.store.session_input_fetch(sessions[0].session_id).await.unwrap().unwrap();
    assert_eq!(input.alert_data, "tiny");
    database.remove().await;
}
