//! API tokens: validation, revocation and rate limits.

use std::time::Duration;

use axum::http::StatusCode;
use futures_util::{SinkExt, StreamExt};
use tarsy_domain::{AccessRole, Timestamp};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::app::{TOKENS_AND_PROXY, TestApp};

#[tokio::test]
async fn rejects_unknown_and_malformed_tokens() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let valid = app.token("ci", AccessRole::Viewer).await;
    let invalid = [
        format!("Bearer tarsy_{}", "0".repeat(64)),
        format!("Bearer {valid}0"),
        format!("Bearer {}", valid.to_uppercase()),
        format!("Basic {valid}"),
        "Bearer ".to_owned(),
        valid.clone(),
    ];
    for value in &invalid {
        let response = app.list_from("192.0.2.1", &[("authorization", value)]).await;
        assert_eq!(response.status, StatusCode::UNAUTHORIZED, "{value}");
        assert_eq!(response.headers["www-authenticate"], "Bearer realm=\"tarsy\"");
        assert!(!response.text.contains(&valid[6..]), "{}", response.text);
    }
    let response = app.list_from("192.0.2.1", &[("authorization", &format!("bearer {valid}"))]).await;
    assert_eq!(response.status, StatusCode::OK);
    let listed = app.database.store.token_list().await.unwrap();
    assert!(listed[0].last_used_at.is_some());
    app.end().await;
}

#[tokio::test]
async fn rejects_tokens_where_they_are_disabled() {
    let proxy_alone = TOKENS_AND_PROXY.replace("tokens: true", "tokens: false");
    let app = TestApp::new(&proxy_alone).await;
    let authorization = format!("Bearer {}", app.token("ci", AccessRole::Viewer).await);
    let response = app.list_from("192.0.2.1", &[("authorization", &authorization)]).await;
    assert_eq!(response.error(), "401 sign in at the proxy in front of this server");
    app.end().await;
}

#[tokio::test]
async fn rejects_a_revoked_token_when_its_cache_entry_expires() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let authorization = format!("Bearer {}", app.token("ci", AccessRole::Viewer).await);
    let headers = [("authorization", authorization.as_str())];
    assert_eq!(app.list_from("192.0.2.1", &headers).await.status, StatusCode::OK);
    assert!(app.database.store.token_revoke("ci", Timestamp::now()).await.unwrap());
    let rejected = async {
        loop {
            let response = app.list_from("192.0.2.1", &headers).await;
            if response.status == StatusCode::UNAUTHORIZED {
                return response.error();
            }
            tokio::task::yield_now().await;
        }
    };
    let error = tokio::time::timeout(Duration::from_secs(30), rejected).await.unwrap();
    assert_eq!(error, "401 the token is unknown or was revoked");
    app.end().await;
}

#[tokio::test]
async fn a_revoked_token_ends_its_open_sockets_and_streams() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let token = app.token("ci", AccessRole::Viewer).await;
    let (address, guard) = app.listen().await;
    let mut upgrade = format!("ws://{address}/api/v1/ws").into_client_request().unwrap();
    upgrade.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    let (mut socket, _) = connect_async(upgrade).await.unwrap();
    socket.send(Message::text(r#"{"action":"ping"}"#)).await.unwrap();
    let reply = socket.next().await.unwrap().unwrap();
    assert!(matches!(reply, Message::Ping(_) | Message::Text(_)), "{reply:?}");

    assert!(app.database.store.token_revoke("ci", Timestamp::now()).await.unwrap());
    let ended = async { while let Some(Ok(_)) = socket.next().await {} };
    tokio::time::timeout(Duration::from_secs(30), ended).await.unwrap();
    drop(guard);
    app.end().await;
}

#[tokio::test]
async fn a_web_socket_requires_authentication() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let (address, guard) = app.listen().await;
    let rejected = connect_async(format!("ws://{address}/api/v1/ws")).await.unwrap_err().to_string();
    assert!(rejected.contains("401"), "{rejected}");
    drop(guard);
    app.end().await;
}

#[tokio::test]
async fn limits_the_rate_of_one_caller_and_not_of_others() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let busy = format!("Bearer {}", app.token("busy", AccessRole::Viewer).await);
    let other = format!("Bearer {}", app.token("other", AccessRole::Viewer).await);
    let mut rejected = None;
    for _ in 0..10_000 {
        let response = app.list_from("192.0.2.1", &[("authorization", &busy)]).await;
        if response.status == StatusCode::TOO_MANY_REQUESTS {
            rejected = Some(response);
            break;
        }
    }
    let rejected = rejected.unwrap();
    assert_eq!(rejected.headers["retry-after"], "1");
    assert_eq!(rejected.error(), "429 rate limit of 50 requests per second exceeded; retry in 1 s");
    let response = app.list_from("192.0.2.2", &[("authorization", &other)]).await;
    assert_eq!(response.status, StatusCode::OK);
    app.end().await;
}
