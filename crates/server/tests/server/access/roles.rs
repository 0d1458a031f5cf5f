//! The required role of every route.

use serde_json::Value;
use tarsy_domain::AccessRole;

use super::app::{TOKENS_AND_PROXY, TestApp, request};

/// The roles of routes that change data, and the public routes. A new route that changes data must be added
/// here.
const OPERATOR: [(&str, &str); 5] = [
    ("post", "/api/v1/alerts"),
    ("post", "/alerts"),
    ("post", "/api/v1/sessions/{session_id}/cancel"),
    ("post", "/api/v1/sessions/{session_id}/chat/messages"),
    ("post", "/api/v1/webhooks/alertmanager"),
];
const ADMIN: [(&str, &str); 1] = [("delete", "/api/v1/sessions/{session_id}")];
const PUBLIC: [(&str, &str); 4] =
    [("get", "/health"), ("get", "/ready"), ("post", "/api/v1/sign-in"), ("post", "/api/v1/sign-out")];

/// Returns the minimum role that a route requires; None for public routes.
fn least_role(method: &str, path: &str) -> Option<AccessRole> {
    let listed = |routes: &[(&str, &str)]| routes.contains(&(method, path));
    if listed(&PUBLIC) {
        return None;
    }
    Some(match method {
        _ if listed(&OPERATOR) => AccessRole::Operator,
        _ if listed(&ADMIN) => AccessRole::Admin,
        "get" => AccessRole::Viewer,
        _ => panic!("add the required role of {method} {path} to this table"),
    })
}

/// Returns all operations of the OpenAPI document.
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

/// Replaces path parameters with an id that does not exist.
fn filled(path: &str) -> String {
    let parts = path.split('/').map(|part| match part.starts_with('{') {
        true => "00000000-0000-7000-8000-000000000000",
        false => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Returns the expected result for a caller with this role.
fn expected(role: Option<AccessRole>, needed: Option<AccessRole>) -> &'static str {
    match (role, needed) {
        (_, None) => "allowed",
        (None, Some(_)) => "401",
        (Some(role), Some(needed)) if role < needed => "403",
        (Some(_), Some(_)) => "allowed",
    }
}

#[tokio::test]
async fn every_route_requires_its_role() {
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
            let response =
                app.send(request(&method.to_uppercase(), &filled(path), "192.0.2.1", &headers)).await;
            let got = match response.status.as_u16() {
                401 => "401",
                403 => "403",
                _ => "allowed",
            };
            assert_eq!(got, expected(*role, least_role(method, path)), "{method} {path} as {role:?}");
        }
    }
    app.end().await;
}

#[tokio::test]
async fn without_authentication_every_caller_is_an_administrator() {
    let app = TestApp::new("").await;
    let path = filled("/api/v1/sessions/{session_id}");
    assert_eq!(app.send(request("DELETE", &path, "127.0.0.1", &[])).await.status.as_u16(), 404);
    app.end().await;
}
