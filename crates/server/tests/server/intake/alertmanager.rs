//! `POST /api/v1/webhooks/alertmanager`.

use std::sync::Arc;

use axum::http::StatusCode;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tarsy_domain::{SessionId, TimelineEventType};
use tarsy_testkit::{TestDatabase, both_engines};
use tokio::task::JoinSet;

use super::app::{ApiResponse, CONFIG, TestApp};

const WEBHOOK: &str = "/api/v1/webhooks/alertmanager";

fn alert(status: &str, fingerprint: &str, starts_at: &str, ends_at: &str) -> Value {
    json!({
        "status": status,
        "labels": { "alertname": "DiskFull", "instance": fingerprint, "severity": "critical" },
        "annotations": { "summary": "a disk is full", "runbook_url": "https://github.com/example/disk.md" },
        "startsAt": starts_at, "endsAt": ends_at, "fingerprint": fingerprint,
        "generatorURL": "http://prometheus:9090/graph",
    })
}

fn firing(fingerprint: &str, starts_at: &str) -> Value {
    alert("firing", fingerprint, starts_at, "0001-01-01T00:00:00Z")
}

fn notification(alerts: &[Value]) -> Value {
    let is_firing = alerts.iter().any(|alert| alert["status"] == "firing");
    json!({
        "version": "4", "status": if is_firing { "firing" } else { "resolved" }, "receiver": "tarsy",
        "groupKey": "{}:{alertname=\"DiskFull\"}", "truncatedAlerts": 0, "externalURL": "http://alertmanager:9093",
        "groupLabels": { "alertname": "DiskFull" }, "commonLabels": { "alertname": "DiskFull" },
        "commonAnnotations": {}, "alerts": alerts,
    })
}

async fn send(app: &TestApp, notification: &Value) -> ApiResponse {
    app.post_json(WEBHOOK, &notification.to_string()).await
}

fn session_id(response: &ApiResponse) -> SessionId {
    response.body["session_id"].as_str().unwrap().parse().unwrap()
}

both_engines! {
    async fn a_firing_is_investigated_once_until_it_is_resolved(database) {
        let app = TestApp::new(database);
        let started = notification(&[firing("a", "2026-11-15T10:00:00.5Z")]);
        let first = send(&app, &started).await;
        assert_eq!((first.status, &first.body["status"]), (StatusCode::ACCEPTED, &json!("queued")));
        let again = send(&app, &started).await;
        assert_eq!((again.status, &again.body["status"]), (StatusCode::OK, &json!("known")));
        let joined = notification(&[firing("b", "2026-11-15T10:09:00Z"), firing("a", "2026-11-15T10:00:00.5Z")]);
        assert_eq!(session_id(&send(&app, &joined).await), session_id(&first));

        let resolved = notification(&[
            alert("resolved", "a", "2026-11-15T10:00:00.5Z", "2026-11-15T10:20:00Z"),
            alert("resolved", "b", "2026-11-15T10:09:00Z", "2026-11-15T10:21:00Z"),
        ]);
        let noted = send(&app, &resolved).await;
        assert_eq!((noted.status, &noted.body["status"]), (StatusCode::OK, &json!("noted")));
        assert_eq!(send(&app, &resolved).await.body["status"], "known");
        let timeline = app.store.timeline_list(session_id(&first), 0, 10).await.unwrap();
        let entries: Vec<_> = timeline.iter().map(|event| (event.entry.event_type, event.entry.content.as_str())).collect();
        let text = "Resolved: Alertmanager says that 2 alerts have ended, at 2026-11-15T10:21:00Z.";
        assert_eq!(entries, [(TimelineEventType::AlertUpdate, text)]);

        let next = send(&app, &notification(&[firing("a", "2026-11-15T11:00:00Z")])).await;
        assert_eq!(next.status, StatusCode::ACCEPTED);
        assert_eq!(app.sessions().await.len(), 2);
    }

    async fn concurrent_notifications_of_peers_create_one_session(database) {
        let app = Arc::new(TestApp::new(database));
        let mut peers = JoinSet::new();
        for number in 0..16 {
            let app = Arc::clone(&app);
            let mut notification = notification(&[firing("a", "2026-11-15T10:00:00Z")]);
            notification["externalURL"] = json!(format!("http://peer-{number}:9093"));
            peers.spawn(async move { send(&app, &notification).await });
        }
        let responses = peers.join_all().await;
        let accepted = responses.iter().filter(|response| response.status == StatusCode::ACCEPTED).count();
        assert_eq!((accepted, app.sessions().await.len()), (1, 1));
    }
}

#[tokio::test]
async fn a_notification_is_stored_verbatim() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    let notification = notification(&[firing("a", "2026-11-15T10:00:00Z")]);
    let text = serde_json::to_string_pretty(&notification).unwrap();
    let response = app.post_json(WEBHOOK, &text).await;
    let session = &app.sessions().await[0];
    assert_eq!((session.alert_type.as_str(), session.author.as_deref()), ("DiskFull", Some("Alertmanager")));
    let input = app.store.session_input_fetch(session_id(&response)).await.unwrap().unwrap();
    assert_eq!(input.alert_data, text);
    assert_eq!(input.runbook.as_deref(), Some("https://github.com/example/disk.md"));
    database.remove().await;
}

#[tokio::test]
async fn ignores_the_resolution_of_an_unknown_group() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    let resolved = notification(&[alert("resolved", "a", "2026-11-15T10:00:00Z", "2026-11-15T10:20:00Z")]);
    let response = send(&app, &resolved).await;
    assert_eq!((response.status, &response.body["status"]), (StatusCode::OK, &json!("ignored")));
    assert_eq!(app.sessions().await.len(), 0);
    database.remove().await;
}

#[tokio::test]
async fn reports_overload_with_a_status_that_alertmanager_retries() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::with(&database, &CONFIG.replace("max_queue_size: 1000", "max_queue_size: 1"));
    let known = notification(&[firing("a", "2026-11-15T10:00:00Z")]);
    assert_eq!(send(&app, &known).await.status, StatusCode::ACCEPTED);
    let full = send(&app, &notification(&[firing("b", "2026-11-15T10:00:00Z")])).await;
    assert_eq!(full.error(), "503 the queue is full; retry in 10 s");
    assert_eq!(full.headers["retry-after"], "10");
    assert_eq!(send(&app, &known).await.status, StatusCode::OK);
    app.stopping.cancel();
    assert_eq!(send(&app, &known).await.error(), "503 the server is shutting down; retry in 5 s");
    database.remove().await;
}

#[tokio::test]
async fn rejects_invalid_notifications() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    for body in ["", "{}", "[]", "not json", r#"{"version": "4", "groupKey": "g", "alerts": [{}]}"#] {
        assert_eq!(app.post_json(WEBHOOK, body).await.status, StatusCode::BAD_REQUEST, "{body}");
    }
    let mut large = notification(&[firing("a", "2026-11-15T10:00:00Z")]);
    large["alerts"][0]["annotations"]["dump"] = json!("x".repeat(1 << 20));
    let error = send(&app, &large).await.error();
    assert!(error.starts_with("413 the notification (lower `max_alerts`"), "{error}");
    database.remove().await;
}

fn with_webhook_auth(settings: &str) -> String {
    format!("{CONFIG}system: {{ webhooks: {{ alertmanager: {{ {settings} }} }} }}\n")
}

#[tokio::test]
async fn authenticates_a_sender_by_its_token() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::with(&database, &with_webhook_auth("bearer_token_env: TOKEN"));
    let body = notification(&[firing("a", "2026-11-15T10:00:00Z")]).to_string();
    for wrong in ["", "correct-horse", "Bearer ", "Bearer correct-hors", "Bearer correct-horse ", "bearer x"]
    {
        let response = app.post(WEBHOOK, &[("authorization", wrong)], body.clone()).await;
        let error = "401 send the webhook token as `Authorization: Bearer`";
        assert_eq!(response.error(), error, "{wrong}");
    }
    assert_eq!(app.post(WEBHOOK, &[], body.clone()).await.status, StatusCode::UNAUTHORIZED);
    let response = app.post(WEBHOOK, &[("authorization", "Bearer correct-horse")], body).await;
    assert_eq!(response.status, StatusCode::ACCEPTED);
    database.remove().await;
}

fn signature(secret: &str, body: &str) -> String {
    let mut signed = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    signed.update(body.as_bytes());
    signed.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn authenticates_a_sender_by_its_signature() {
    let database = TestDatabase::sqlite().await;
    let app =
        TestApp::with(&database, &with_webhook_auth("hmac_secret_env: SECRET, hmac_header: X-Signature"));
    let body = notification(&[firing("a", "2026-11-15T10:00:00Z")]).to_string();
    let right = signature("battery-staple", &body);
    let other = signature("battery-staple", "another body");
    let guessed = signature("guessed", &body);
    for wrong in ["", "sha256=", "zz", &right[..62], &other, &guessed, &right.replace('a', "b")] {
        let response = app.post(WEBHOOK, &[("x-signature", wrong)], body.clone()).await;
        assert_eq!(
            response.error(),
            "401 the header `x-signature` must contain the HMAC-SHA256 of the body in hexadecimal digits",
            "{wrong}"
        );
    }
    assert_eq!(app.sessions().await.len(), 0);
    let plain = app.post(WEBHOOK, &[("x-signature", &right)], body.clone()).await;
    assert_eq!(plain.status, StatusCode::ACCEPTED);
    let prefixed = app.post(WEBHOOK, &[("x-signature", &format!("sha256={right}"))], body).await;
    assert_eq!(prefixed.status, StatusCode::OK);
    database.remove().await;
}
