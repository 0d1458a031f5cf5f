//! Stopping, asking and removing.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use serde_json::json;
use tarsy_domain::{ChatMessageId, SessionId, Timestamp};
use tarsy_store::{ChatMessage, ClaimLimit};

use super::app::TestApp;

#[tokio::test]
async fn a_session_is_cancelled_once() {
    let app = TestApp::new().await;
    let busy = app.under_way("busy").await.session_id;
    let waiting = app.submit("waiting", 1).await;
    let cancel = async |session_id: SessionId| {
        app.send(Method::POST, &format!("/api/v1/sessions/{session_id}/cancel"), "").await
    };
    for (session_id, status) in [(busy, "cancelling"), (busy, "cancelling"), (waiting, "cancelled")] {
        let answer = cancel(session_id).await;
        assert_eq!((answer.status, answer.json()["status"].as_str()), (StatusCode::ACCEPTED, Some(status)));
    }
    let problem =
        format!("session {waiting} is cancelled: only a session that has not ended can be cancelled");
    assert_eq!(cancel(waiting).await.error(), (409, problem));
    let nobody = SessionId::new();
    assert_eq!(cancel(nobody).await.error(), (404, format!("there is no session {nobody}")));
    app.end().await;
}

#[tokio::test]
async fn a_session_is_removed_once_it_has_ended() {
    let app = TestApp::new().await;
    let done = app.completed("done").await.session_id;
    let busy = app.under_way("busy").await.session_id;
    let remove = async |session_id: SessionId| {
        app.send(Method::DELETE, &format!("/api/v1/sessions/{session_id}"), "").await
    };
    let gone = remove(done).await;
    assert_eq!((gone.status, gone.text.as_str()), (StatusCode::NO_CONTENT, ""));
    assert_eq!(remove(done).await.error(), (404, format!("there is no session {done}")));
    let problem = format!(
        "session {busy} is in_progress: only a session that has ended can be removed; cancel it first"
    );
    assert_eq!(remove(busy).await.error(), (409, problem));
    app.end().await;
}

#[tokio::test]
async fn questions_are_asked_one_at_a_time_about_ended_sessions() {
    let app = TestApp::new().await;
    let done = app.completed("done").await.session_id;
    let ask = async |session_id: SessionId, content: &str| {
        let body = json!({ "content": content }).to_string();
        app.send(Method::POST, &format!("/api/v1/sessions/{session_id}/chat/messages"), &body).await
    };
    let chat = async || app.get(&format!("/api/v1/sessions/{done}/chat/messages")).await.json();
    assert_eq!(chat().await, json!({ "messages": [], "is_answering": false }));

    let asked = ask(done, "Why?").await;
    assert_eq!((asked.status, &asked.json()["sequence"]), (StatusCode::ACCEPTED, &json!(1)));
    let problem =
        format!("an earlier question about session {done} waits for its answer: ask again once it has it");
    assert_eq!(ask(done, "And?").await.error(), (409, problem));
    assert_eq!(chat().await["is_answering"], true);

    answer(&app).await;
    let said = chat().await;
    assert_eq!(said["is_answering"], false);
    let told: Vec<_> = said["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["author"].as_str(), m["content"].as_str()))
        .collect();
    assert_eq!(told, [(Some("anonymous"), Some("Why?")), (None, Some("Because."))]);
    assert_eq!(ask(done, "And?").await.status, StatusCode::ACCEPTED);
    app.end().await;
}

#[tokio::test]
async fn a_secret_in_a_question_is_not_stored_and_keeps_its_placeholder() {
    let app = TestApp::new().await;
    let done = app.completed("done").await.session_id;
    let address = format!("/api/v1/sessions/{done}/chat/messages");
    let ask = async |content: &str| {
        let asked = app.send(Method::POST, &address, &json!({ "content": content }).to_string()).await;
        assert_eq!(asked.status, StatusCode::ACCEPTED, "{}", asked.text);
        answer(&app).await;
    };
    let (one, other) = (format!("ghp_{}", "a1B2".repeat(9)), format!("ghp_{}", "c3D4".repeat(9)));
    ask(&format!("Is {one} leaked?")).await;
    ask(&format!("Or {other}? Not {one}.")).await;
    let said = app.get(&address).await.json();
    let contents: Vec<_> =
        said["messages"].as_array().unwrap().iter().map(|m| m["content"].as_str()).collect();
    assert_eq!(contents[0], Some("Is [MASKED:github_token#1] leaked?"));
    assert_eq!(contents[2], Some("Or [MASKED:github_token#2]? Not [MASKED:github_token#1]."));
    app.end().await;
}

#[tokio::test]
async fn a_question_that_cannot_be_asked_says_why() {
    let app = TestApp::new().await;
    let busy = app.under_way("busy").await.session_id;
    let (silent, nobody) = (silent_session(&app).await, SessionId::new());
    let long = json!({ "content": "x".repeat(20_001) }).to_string();
    let cases = [
        (
            busy,
            r#"{"content":"Why?"}"#,
            409,
            format!("session {busy} is in_progress: questions can be asked once it has ended"),
        ),
        (
            silent,
            r#"{"content":"Why?"}"#,
            409,
            "chat is turned off for chain kubernetes-agent-chain".to_owned(),
        ),
        (nobody, r#"{"content":"Why?"}"#, 404, format!("there is no session {nobody}")),
        (busy, r#"{"content":" "}"#, 400, "content: it is empty, expected a question".to_owned()),
        (busy, &long, 400, "content: it has 20001 characters, expected at most 20000".to_owned()),
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

/// A session of a chain without chat.
async fn silent_session(app: &TestApp) -> SessionId {
    let session = tarsy_testkit::new_session("silent");
    let session_id = session.session_id;
    app.store()
        .session_insert(session, tarsy_store::QueueLimit::Unlimited, Timestamp::from_micros(1))
        .await
        .unwrap();
    session_id
}

/// What the engine does with a question.
async fn answer(app: &TestApp) {
    let now = Timestamp::now();
    let hour = Duration::from_secs(3600);
    let claimed = app.store().queue_claim("w", ClaimLimit::Unlimited, now, hour).await.unwrap().unwrap();
    let answer = ChatMessage {
        chat_message_id: ChatMessageId::new(),
        author: None,
        execution_id: None,
        content: "Because.".to_owned(),
        created_at: now,
    };
    app.store().chat_answer(claimed.lease, answer).await.unwrap();
}
