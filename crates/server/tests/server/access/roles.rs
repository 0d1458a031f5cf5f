//! Every address there is, asked by everybody there can be.

use serde_json::Value;
use tarsy_domain::AccessRole;

use super::app::{TOKENS_AND_PROXY, TestApp, request};

/// Who may use what changes something, and what anybody may use. A new address that is in neither list and does more
/// than to read must be added here.
const OPERATOR: [(&str, &str); 5] = [
    ("post", "/api/v1/alerts"),
    ("post", "/alerts"),
    ("post", "/api/v1/sessions/{session_id}/cancel"),
    ("post", "/api/v1/sessions/{session_id}/chat/messages"),
    ("post", "/api/v1/webhooks/alertmanager"),
];
const ADMIN: [(&str, &str); 1] = [("delete", "/api/v1/sessions/{session_id}")];
const ANYBODY: [(&str, &str); 4] =
    [("get", "/health"), ("get", "/ready"), ("post", "/api/v1/sign-in"), ("post", "/api/v1/sign-out")];

/// The least role that an address takes; None if it takes none.
fn least_role(method: &str, path: &str) -> Option<AccessRole> {
    let listed = |addresses: &[(&str, &str)]| addresses.contains(&(method, path));
    if listed(&ANYBODY) {
        return None;
    }
    Some(match method {
        _ if listed(&OPERATOR) => AccessRole::Operator,
        _ if listed(&ADMIN) => AccessRole::Admin,
        "get" => AccessRole::Viewer,
        _ => panic!("who may {method} {path}? Say so in this table."),
    })
}

/// Every operation of the description.
fn operations() -> Vec<(String, String)> {
    let document = serde_json::to_value(tarsy_server::openapi_document()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, item)| {
        let methods =
            item.as_object().unwrap().iter().filter(|(_, operation): &(_, &Value)| operation.is_object());
        methods.map(|(method, _)| (method.clone(), path.clone()))
    });
    operations.collect()
}

/// An address with something in its variable places that is not there.
fn filled(path: &str) -> String {
    let parts = path.split('/').map(|part| match part.starts_with('{') {
        true => "00000000-0000-7000-8000-000000000000",
        false => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// What somebody gets who has this role, or none.
fn expected(role: Option<AccessRole>, needed: Option<AccessRole>) -> &'static str {
    match (role, needed) {
        (_, None) => "let in",
        (None, Some(_)) => "401",
        (Some(role), Some(needed)) if role < needed => "403",
        (Some(_), Some(_)) => "let in",
    }
}

#[tokio::test]
async fn every_address_takes_its_role() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let mut callers = vec![(None, String::new())];
    for role in AccessRole::ALL {
        callers.push((Some(*role), format!("Bearer {}", app.token(role.as_str(), *role).await)));
    }
    let operations = operations();
    assert!(operations.len() >= 20, "only {} operations", operations.len());
    for (method, path) in &operations {
        for (role, authorization) in &callers {
            let headers = [("authorization", authorization.as_str())];
            let answer =
                app.send(request(&method.to_uppercase(), &filled(path), "192.0.2.1", &headers)).await;
            let got = match answer.status.as_u16() {
                401 => "401",
                403 => "403",
                _ => "let in",
            };
            assert_eq!(got, expected(*role, least_role(method, path)), "{method} {path} as {role:?}");
        }
    }
    app.end().await;
}

#[tokio::test]
async fn without_authentication_everybody_on_this_machine_may_do_everything() {
    let app = TestApp::new("").await;
    let path = filled("/api/v1/sessions/{session_id}");
    assert_eq!(app.send(request("DELETE", &path, "127.0.0.1", &[])).await.status.as_u16(), 404);
    app.end().await;
}
