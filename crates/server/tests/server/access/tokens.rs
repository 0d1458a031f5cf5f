//! Tokens: shown, refused, revoked, and used too often.

use std::time::Duration;

use axum::http::StatusCode;
use futures_util::{SinkExt, StreamExt};
use tarsy_domain::{AccessRole, Timestamp};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::app::{TOKENS_AND_PROXY, TestApp};

#[tokio::test]
async fn a_token_that_nobody_made_opens_nothing() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let right = app.token("ci", AccessRole::Viewer).await;
    let shown = [
        format!("Bearer tarsy_{}", "0".repeat(64)),
        format!("Bearer {right}0"),
        format!("Bearer {}", right.to_uppercase()),
        format!("Basic {right}"),
        "Bearer ".to_owned(),
        right.clone(),
    ];
    for shown in &shown {
        let answer = app.list_from("192.0.2.1", &[("authorization", shown)]).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{shown}");
        assert_eq!(answer.headers["www-authenticate"], "Bearer realm=\"tarsy\"");
        assert!(!answer.text.contains(&right[6..]), "{}", answer.text);
    }
    let answer = app.list_from("192.0.2.1", &[("authorization", &format!("bearer {right}"))]).await;
    assert_eq!(answer.status, StatusCode::OK);
    let listed = app.database.store.token_list().await.unwrap();
    assert!(listed[0].last_used_at.is_some());
    app.end().await;
}

#[tokio::test]
async fn a_token_counts_only_where_tokens_are_asked_for() {
    let proxy_alone = TOKENS_AND_PROXY.replace("tokens: true", "tokens: false");
    let app = TestApp::new(&proxy_alone).await;
    let authorization = format!("Bearer {}", app.token("ci", AccessRole::Viewer).await);
    let answer = app.list_from("192.0.2.1", &[("authorization", &authorization)]).await;
    assert_eq!(answer.error(), "401 come through the proxy in front of this server, and log in there");
    app.end().await;
}

#[tokio::test]
async fn a_revoked_token_is_refused_as_soon_as_it_is_not_believed_any_more() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let authorization = format!("Bearer {}", app.token("ci", AccessRole::Viewer).await);
    let headers = [("authorization", authorization.as_str())];
    assert_eq!(app.list_from("192.0.2.1", &headers).await.status, StatusCode::OK);
    assert!(app.database.store.token_revoke("ci", Timestamp::now()).await.unwrap());
    let refused = async {
        loop {
            let answer = app.list_from("192.0.2.1", &headers).await;
            if answer.status == StatusCode::UNAUTHORIZED {
                return answer.error();
            }
            tokio::task::yield_now().await;
        }
    };
    let told = tokio::time::timeout(Duration::from_secs(30), refused).await.unwrap();
    assert_eq!(told, "401 this token is not known, or it was revoked");
    app.end().await;
}

#[tokio::test]
async fn a_revoked_token_ends_its_open_sockets_and_streams() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let token = app.token("ci", AccessRole::Viewer).await;
    let (address, guard) = app.listen().await;
    let mut opening = format!("ws://{address}/api/v1/ws").into_client_request().unwrap();
    opening.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    let (mut socket, _) = connect_async(opening).await.unwrap();
    socket.send(Message::text(r#"{"action":"ping"}"#)).await.unwrap();
    let answered = socket.next().await.unwrap().unwrap();
    assert!(matches!(answered, Message::Ping(_) | Message::Text(_)), "{answered:?}");

    assert!(app.database.store.token_revoke("ci", Timestamp::now()).await.unwrap());
    let ended = async { while let Some(Ok(_)) = socket.next().await {} };
    tokio::time::timeout(Duration::from_secs(30), ended).await.unwrap();
    drop(guard);
    app.end().await;
}

#[tokio::test]
async fn a_socket_takes_a_role() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let (address, guard) = app.listen().await;
    let refused = connect_async(format!("ws://{address}/api/v1/ws")).await.unwrap_err().to_string();
    assert!(refused.contains("401"), "{refused}");
    drop(guard);
    app.end().await;
}

#[tokio::test]
async fn one_who_asks_without_end_is_told_when_to_come_again_and_others_are_not() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let busy = format!("Bearer {}", app.token("busy", AccessRole::Viewer).await);
    let other = format!("Bearer {}", app.token("other", AccessRole::Viewer).await);
    let mut refused = None;
    for _ in 0..10_000 {
        let answer = app.list_from("192.0.2.1", &[("authorization", &busy)]).await;
        if answer.status == StatusCode::TOO_MANY_REQUESTS {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.unwrap();
    assert_eq!(refused.headers["retry-after"], "1");
    assert_eq!(refused.error(), "429 more than 50 requests a second came from you; try again in 1 s");
    let answer = app.list_from("192.0.2.2", &[("authorization", &other)]).await;
    assert_eq!(answer.status, StatusCode::OK);
    app.end().await;
}
