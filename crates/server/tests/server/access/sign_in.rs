//! Sign-in with a browser and a token.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};
use tarsy_domain::{AccessRole, Timestamp};

use super::app::{ApiResponse, TOKENS_AND_PROXY, TestApp, request};

const BROWSER: (&str, &str) = ("sec-fetch-site", "same-origin");

fn sign_in(token: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = request("POST", "/api/v1/sign-in", "192.0.2.1", headers);
    *request.body_mut() = Body::from(json!({ "token": token }).to_string());
    request
}

/// Returns the cookie that a response sets, in the form that a browser sends it.
fn cookie_of(response: &ApiResponse) -> String {
    let cookie = response.headers["set-cookie"].to_str().unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_signed_in_browser_is_authenticated_until_it_signs_out() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let token = app.token("ann", AccessRole::Operator).await;
    let response = app.send(sign_in(&format!(" {token}\n"), &[BROWSER])).await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text);
    let cookie = cookie_of(&response);

    let headers = [("cookie", cookie.as_str()), BROWSER];
    let me = app.send(request("GET", "/api/v1/me", "192.0.2.1", &headers)).await;
    let caller: Value = serde_json::from_str(&me.text).unwrap();
    assert_eq!(caller, json!({ "name": "ann", "role": "operator", "signed_in": true }));
    assert_eq!(app.list_from("192.0.2.1", &headers).await.status, StatusCode::OK);

    let out = app.send(request("POST", "/api/v1/sign-out", "192.0.2.1", &headers)).await;
    assert_eq!((out.status, cookie_of(&out).as_str()), (StatusCode::NO_CONTENT, "tarsy_token="));
    let signed_out = app.list_from("192.0.2.1", &[("cookie", "tarsy_token=")]).await;
    assert_eq!(signed_out.status, StatusCode::UNAUTHORIZED);
    app.end().await;
}

#[tokio::test]
async fn rejects_cross_site_requests_with_the_cookie() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let token = app.token("ann", AccessRole::Admin).await;
    let cookie = cookie_of(&app.send(sign_in(&token, &[BROWSER])).await);
    let path = "/api/v1/sessions/00000000-0000-7000-8000-000000000000";
    let from = |site| [("cookie", cookie.as_str()), ("sec-fetch-site", site)];
    let foreign = app.send(request("DELETE", path, "192.0.2.1", &from("cross-site"))).await;
    assert!(foreign.error().starts_with("403 cross-origin requests"), "{}", foreign.text);
    let own = app.send(request("DELETE", path, "192.0.2.1", &from("same-origin"))).await;
    assert_eq!(own.status, StatusCode::NOT_FOUND);
    let cross_site = app.send(sign_in(&token, &[("sec-fetch-site", "cross-site")])).await;
    assert_eq!(cross_site.status, StatusCode::FORBIDDEN);
    app.end().await;
}

#[tokio::test]
async fn rejects_invalid_tokens_without_a_cookie() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let token = app.token("ann", AccessRole::Viewer).await;
    assert!(app.database.store.token_revoke("ann", Timestamp::now()).await.unwrap());
    let unknown = "401 the token is unknown or was revoked";
    let no_token =
        "401 this is not a TARSy token; tokens start with `tarsy_` and are created with `tarsy token create`";
    for (token, expected) in
        [(token.as_str(), unknown), ("tarsy_x; Domain=evil", unknown), ("hunter2", no_token)]
    {
        let response = app.send(sign_in(token, &[BROWSER])).await;
        assert_eq!(response.error(), expected, "{token}");
        assert!(!response.headers.contains_key("set-cookie"));
    }
    app.end().await;
}

#[tokio::test]
async fn rejects_sign_in_without_authentication() {
    let app = TestApp::new("").await;
    let response = app.send(sign_in("tarsy_1", &[])).await;
    assert_eq!(response.error(), "409 authentication is disabled; no sign-in is required");
    let me = app.send(request("GET", "/api/v1/me", "127.0.0.1", &[])).await;
    let caller: Value = serde_json::from_str(&me.text).unwrap();
    assert_eq!(caller, json!({ "name": null, "role": "admin", "signed_in": false }));
    app.end().await;
}
