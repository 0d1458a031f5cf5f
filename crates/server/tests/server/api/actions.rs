//! Cancelling, questions and deletion.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use serde_json::json;
use tarsy_domain::{ChatMessageId, SessionId, Timestamp};
use tarsy_store::{ChatMessage, ClaimLimit};

use super::app::TestApp;

#[tokio::test]
async fn a_session_is_cancelled_once() {
    let app = TestApp::new().await;
    let busy = app.running("busy").await.session_id;
    let waiting = app.submit("waiting", 1).await;
    let cancel = async |session_id: SessionId| {
        app.send(Method::POST, &format!("/api/v1/sessions/{session_id}/cancel"), "").await
    };
    for (session_id, status) in [(busy, "cancelling"), (busy, "cancelling"), (waiting, "cancelled")] {
        let response = cancel(session_id).await;
        assert_eq!(
            (response.status, response.json()["status"].as_str()),
            (StatusCode::ACCEPTED, Some(status))
        );
    }
    let problem = format!("session {waiting} is cancelled and cannot be cancelled");
    assert_eq!(cancel(waiting).await.error(), (409, problem));
    let unknown = SessionId::new();
    assert_eq!(cancel(unknown).await.error(), (404, format!("session {unknown} does not exist")));
    app.end().await;
}

#[tokio::test]
async fn deletes_only_sessions_that_have_ended() {
    let app = TestApp::new().await;
    let done = app.completed("done").await.session_id;
    let busy = app.running("busy").await.session_id;
    let delete = async |session_id: SessionId| {
        app.send(Method::DELETE, &format!("/api/v1/sessions/{session_id}"), "").await
    };
    let deleted = delete(done).await;
    assert_eq!((deleted.status, deleted.text.as_str()), (StatusCode::NO_CONTENT, ""));
    assert_eq!(delete(done).await.error(), (404, format!("session {done} does not exist")));
    let problem = format!("session {busy} is in_progress and has not ended; cancel it before deleting it");
    assert_eq!(delete(busy).await.error(), (409, problem));
    app.end().await;
}

#[tokio::test]
async fn accepts_one_question_at_a_time_about_ended_sessions() {
    let app = TestApp::new().await;
    let done = app.completed("done").await.session_id;
    let ask = async |session_id: SessionId, content: &str| {
        let body = json!({ "content": content }).to_string();
        app.send(Method::POST, &format!("/api/v1/sessions/{session_id}/chat/messages"), &body).await
    };
    let chat = async || app.get(&format!("/api/v1/sessions/{done}/chat/messages")).await.json();
    assert_eq!(chat().await, json!({ "messages": [], "is_answering": false }));

    let accepted = ask(done, "Why?").await;
    assert_eq!((accepted.status, &accepted.json()["sequence"]), (StatusCode::ACCEPTED, &json!(1)));
    let problem = format!("an earlier question about session {done} has no reply yet; wait for it");
    assert_eq!(ask(done, "And?").await.error(), (409, problem));
    assert_eq!(chat().await["is_answering"], true);

    reply(&app).await;
    let chat = chat().await;
    assert_eq!(chat["is_answering"], false);
    let messages: Vec<_> = chat["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["author"].as_str(), m["content"].as_str()))
        .collect();
    assert_eq!(messages, [(Some("anonymous"), Some("Why?")), (None, Some("Because."))]);
    assert_eq!(ask(done, "And?").await.status, StatusCode::ACCEPTED);
    app.end().await;
}

#[tokio::test]
async fn a_secret_in_a_question_is_not_stored_and_keeps_its_placeholder() {
    let app = TestApp::new().await;
    let done = app.completed("done").await.session_id;
    let address = format!("/api/v1/sessions/{done}/chat/messages");
    let ask = async |content: &str| {
        let accepted = app.send(Method::POST, &address, &json!({ "content": content }).to_string()).await;
        assert_eq!(accepted.status, StatusCode::ACCEPTED, "{}", accepted.text);
        reply(&app).await;
    };
    let (one, other) = (format!("ghp_{}", "a1B2".repeat(9)), format!("ghp_{}", "c3D4".repeat(9)));
    ask(&format!("Is {one} leaked?")).await;
    ask(&format!("Or {other}? Not {one}.")).await;
    let chat = app.get(&address).await.json();
    let contents: Vec<_> =
        chat["messages"].as_array().unwrap().iter().map(|m| m["content"].as_str()).collect();
    assert_eq!(contents[0], Some("Is [MASKED:github_token#1] leaked?"));
    assert_eq!(contents[2], Some("Or [MASKED:github_token#2]? Not [MASKED:github_token#1]."));
    app.end().await;
}

#[tokio::test]
async fn rejects_invalid_questions() {
    let app = TestApp::new().await;
    let busy = app.running("busy").await.session_id;
    let (silent, unknown) = (session_without_chat(&app).await, SessionId::new());
    let long = json!({ "content": "x".repeat(20_001) }).to_string();
    let cases = [
        (
            busy,
            r#"{"content":"Why?"}"#,
            409,
            format!("session {busy} is in_progress; ask questions after it has ended"),
        ),
        (
            silent,
            r#"{"content":"Why?"}"#,
            409,
            "chat is disabled for chain kubernetes-agent-chain".to_owned(),
        ),
        (unknown, r#"{"content":"Why?"}"#, 404, format!("session {unknown} does not exist")),
        (busy, r#"{"content":" "}"#, 400, "content: must not be empty".to_owned()),
        (busy, &long, 400, "content: has 20001 characters, expected at most 20000".to_owned()),
        (busy, "{}", 400, "body: missing field `content` at line 1 column 2".to_owned()),
        (
            busy,
            r#"{"contents":"x"}"#,
            400,
            "contents: unknown field `contents`, expected `content` at line 1 column 11".to_owned(),
        ),
    ];
    for (session_id, body, status, problem) in cases {
        let address = format!("/api/v1/sessions/{session_id}/chat/messages");
        assert_eq!(app.send(Method::POST, &address, body).await.error(), (status, problem));
    }
    app.end().await;
}

/// Creates a session of a chain without chat.
async fn session_without_chat(app: &TestApp) -> SessionId {
    let session = tarsy_testkit::new_session("silent");
    let session_id = session.session_id;
    app.store()
        .session_insert(session, tarsy_store::QueueLimit::Unlimited, Timestamp::from_micros(1))
        .await
        .unwrap();
    session_id
}

/// Adds a reply to the chat, as the engine does.
async fn reply(app: &TestApp) {
    let now = Timestamp::now();
    let hour = Duration::from_secs(3600);
    let claimed = app.store().queue_claim("w", ClaimLimit::Unlimited, now, hour).await.unwrap().unwrap();
    let message = ChatMessage {
        chat_message_id: ChatMessageId::new(),
        author: None,
        execution_id: None,
        content: "Because.".to_owned(),
        created_at: now,
    };
    app.store().chat_answer(claimed.lease, message).await.unwrap();
}
