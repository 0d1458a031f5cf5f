//! How the body of `POST /alerts` is read: by its shape, whatever its content type says.

use axum::http::StatusCode;
use serde_json::json;
use tarsy_domain::SessionId;
use tarsy_store::SessionInput;
use tarsy_testkit::{TestDatabase, both_engines};

use super::app::{ApiResponse, TestApp};

async fn input(app: &TestApp, response: &ApiResponse) -> SessionInput {
    assert_eq!(response.status, StatusCode::ACCEPTED, "{}", response.body);
    let session_id: SessionId = response.body["session_id"].as_str().unwrap().parse().unwrap();
    app.store.session_input_fetch(session_id).await.unwrap().unwrap()
}

#[tokio::test]
async fn an_envelope_is_recognized_without_a_json_content_type() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    let types =
        ["", "application/x-www-form-urlencoded", "text/plain", "application/octet-stream", "text/json"];
    for (number, kind) in types.into_iter().enumerate() {
        let headers: Vec<_> = (!kind.is_empty()).then_some(("content-type", kind)).into_iter().collect();
        for path in ["/alerts", "/api/v1/alerts"] {
            let id = format!("{path}-{number}");
            let body = json!({
                "alert_type": "DiskFull", "runbook": "# Clean up", "data": { "node": "n7" }, "alert_id": id,
            });
            let response = app.post(path, &headers, body.to_string()).await;
            let input = input(&app, &response).await;
            assert_eq!(input.alert_data, r#"{"node":"n7"}"#, "{kind}");
            assert_eq!(input.runbook.as_deref(), Some("# Clean up"), "{kind}");
            let session = app.store.session_fetch_by_alert(&id).await.unwrap().unwrap();
            assert_eq!(session.alert_type, "DiskFull");
        }
    }
    database.remove().await;
}

#[tokio::test]
async fn a_body_that_is_no_envelope_is_the_data() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    let bodies = [
        "disk full",
        "{ not json",
        "{\"data\": 1} and more",
        "[{\"data\": 1}]",
        "\"data\"",
        "{\"alert_type\": \"DiskFull\", \"node\": \"n7\"}",
        "{\"data\": {\"disk\": 1}, \"event\": \"full\"}",
        "{\"data\": 1, \"author\": \"ann\", \"title\": \"Disk\"}",
    ];
    for body in bodies {
        let response =
            app.post("/alerts", &[("content-type", "application/x-www-form-urlencoded")], body).await;
        assert_eq!(input(&app, &response).await.alert_data, body);
    }
    // A text that looks like an envelope is sent in one.
    let text = "{\"data\": \"inner\"}";
    let response = app.post("/alerts", &[], json!({ "data": text }).to_string()).await;
    assert_eq!(input(&app, &response).await.alert_data, text);
    database.remove().await;
}

#[tokio::test]
async fn a_mistake_in_an_envelope_is_reported_whatever_its_content_type() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    let cases = [
        (
            json!({ "data": "x", "alert_type": "DiskFull", "runbok": "r" }),
            "400 runbok: unknown field `runbok`",
        ),
        (json!({ "data": "x", "alert_type": "Nothing" }), "400 alert_type: no chain handles"),
        (json!({ "data": null }), "400 data: must not be null"),
        (json!({ "data": "x", "alert_id": 7 }), "400 alert_id: invalid type"),
    ];
    for (body, expected) in cases {
        let error = app.post("/alerts", &[], body.to_string()).await.error();
        assert!(error.starts_with(expected), "{error}");
    }
    assert!(app.sessions().await.is_empty());
    database.remove().await;
}

#[tokio::test]
async fn the_runbook_of_the_data_is_used_if_the_envelope_has_none() {
    let database = TestDatabase::sqlite().await;
    let app = TestApp::new(&database);
    let address = "https://github.com/o/r/blob/main/disk.md";
    let other = "https://github.com/o/r/blob/main/other.md";
    let text = json!({ "runbook": address }).to_string();
    let cases = [
        (json!({ "data": { "runbook": address } }), Some(address)),
        (json!({ "data": { "runbook": address }, "runbook": " " }), Some(address)),
        (json!({ "data": { "runbook": address }, "runbook": other }), Some(other)),
        (json!({ "data": text }), Some(address)),
        (json!({ "data": { "runbook": " " } }), None),
        (json!({ "data": { "runbook": { "url": address } } }), None),
        (json!({ "data": { "runbook": null } }), None),
        (json!({ "data": [{ "runbook": address }] }), None),
        (json!({ "data": format!("runbook: {address}") }), None),
    ];
    for (body, expected) in cases {
        let response = app.post_json("/alerts", &body.to_string()).await;
        assert_eq!(input(&app, &response).await.runbook.as_deref(), expected, "{body}");
    }
    // The data may also be the whole body.
    let response = app.post("/alerts", &[("content-type", "text/plain")], text).await;
    assert_eq!(input(&app, &response).await.runbook.as_deref(), Some(address));
    let long = json!({ "data": { "runbook": "r".repeat(256 * 1024 + 1) } });
    let error = app.post_json("/alerts", &long.to_string()).await.error();
    assert_eq!(error, "413 runbook is larger than the limit of 262144 bytes");
    database.remove().await;
}

both_engines! {
    async fn keeps_and_returns_the_slack_message_fingerprint(database) {
        let app = TestApp::new(database);
        let body = json!({ "data": "x", "slack_message_fingerprint": "Disk full on n7" });
        let response = app.post_json("/api/v1/alerts", &body.to_string()).await;
        assert_eq!(input(&app, &response).await.slack_message_fingerprint.as_deref(), Some("Disk full on n7"));
        let session_id = response.body["session_id"].as_str().unwrap();
        let session = app.get(&format!("/api/v1/sessions/{session_id}")).await.body;
        assert_eq!(session["input"]["slack_message_fingerprint"], "Disk full on n7");
        for unset in [json!({ "data": "x" }), json!({ "data": "x", "slack_message_fingerprint": "" })] {
            let response = app.post_json("/api/v1/alerts", &unset.to_string()).await;
            assert_eq!(input(&app, &response).await.slack_message_fingerprint, None);
        }
        let long = json!({ "data": "x", "slack_message_fingerprint": "f".repeat(4097) });
        let error = app.post_json("/api/v1/alerts", &long.to_string()).await.error();
        assert_eq!(error, "413 slack_message_fingerprint is larger than the limit of 4096 bytes");
    }
}
