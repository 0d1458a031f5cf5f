//! People with a browser and a token.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};
use tarsy_domain::{AccessRole, Timestamp};

use super::app::{Answer, TOKENS_AND_PROXY, TestApp, request};

const BROWSER: (&str, &str) = ("sec-fetch-site", "same-origin");

fn sign_in(token: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut signing = request("POST", "/api/v1/sign-in", "192.0.2.1", headers);
    *signing.body_mut() = Body::from(json!({ "token": token }).to_string());
    signing
}

/// The cookie that an answer lets a browser keep, as it sends it back.
fn kept(answer: &Answer) -> String {
    let cookie = answer.headers["set-cookie"].to_str().unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn who_signs_in_is_known_until_they_sign_out() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let token = app.token("ann", AccessRole::Operator).await;
    let answer = app.send(sign_in(&format!(" {token}\n"), &[BROWSER])).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    let cookie = kept(&answer);

    let headers = [("cookie", cookie.as_str()), BROWSER];
    let me = app.send(request("GET", "/api/v1/me", "192.0.2.1", &headers)).await;
    let told: Value = serde_json::from_str(&me.text).unwrap();
    assert_eq!(told, json!({ "name": "ann", "role": "operator", "signed_in": true }));
    assert_eq!(app.list_from("192.0.2.1", &headers).await.status, StatusCode::OK);

    let out = app.send(request("POST", "/api/v1/sign-out", "192.0.2.1", &headers)).await;
    assert_eq!((out.status, kept(&out).as_str()), (StatusCode::NO_CONTENT, "tarsy_token="));
    let forgotten = app.list_from("192.0.2.1", &[("cookie", "tarsy_token=")]).await;
    assert_eq!(forgotten.status, StatusCode::UNAUTHORIZED);
    app.end().await;
}

#[tokio::test]
async fn a_page_of_another_site_does_not_act_with_the_cookie() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let token = app.token("ann", AccessRole::Admin).await;
    let cookie = kept(&app.send(sign_in(&token, &[BROWSER])).await);
    let path = "/api/v1/sessions/00000000-0000-7000-8000-000000000000";
    let from = |site| [("cookie", cookie.as_str()), ("sec-fetch-site", site)];
    let foreign = app.send(request("DELETE", path, "192.0.2.1", &from("cross-site"))).await;
    assert!(foreign.error().starts_with("403 a page of another origin"), "{}", foreign.text);
    let own = app.send(request("DELETE", path, "192.0.2.1", &from("same-origin"))).await;
    assert_eq!(own.status, StatusCode::NOT_FOUND);
    let signing = app.send(sign_in(&token, &[("sec-fetch-site", "cross-site")])).await;
    assert_eq!(signing.status, StatusCode::FORBIDDEN);
    app.end().await;
}

#[tokio::test]
async fn what_is_no_token_is_not_kept() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let token = app.token("ann", AccessRole::Viewer).await;
    assert!(app.database.store.token_revoke("ann", Timestamp::now()).await.unwrap());
    let unknown = "401 this token is not known, or it was revoked";
    let no_token =
        "401 this is no token of TARSy: they begin with `tarsy_`, and `tarsy token create` makes one";
    for (shown, expected) in
        [(token.as_str(), unknown), ("tarsy_x; Domain=evil", unknown), ("hunter2", no_token)]
    {
        let answer = app.send(sign_in(shown, &[BROWSER])).await;
        assert_eq!(answer.error(), expected, "{shown}");
        assert!(!answer.headers.contains_key("set-cookie"));
    }
    app.end().await;
}

#[tokio::test]
async fn nobody_signs_in_where_nobody_is_asked() {
    let app = TestApp::new("").await;
    let answer = app.send(sign_in("tarsy_1", &[])).await;
    assert_eq!(answer.error(), "409 nobody is asked who they are here; just come in");
    let me = app.send(request("GET", "/api/v1/me", "127.0.0.1", &[])).await;
    let told: Value = serde_json::from_str(&me.text).unwrap();
    assert_eq!(told, json!({ "name": null, "role": "admin", "signed_in": false }));
    app.end().await;
}
