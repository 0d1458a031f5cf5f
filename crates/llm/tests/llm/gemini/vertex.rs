//! Gemini on Vertex AI, and access tokens.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::LazyLock;

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::KeyPair as _;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures_util::future::join_all;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde_json::{Value, json};
use tarsy_domain::{ModelFailureKind as Kind, Secret};
use tarsy_llm::{ModelRequest, ModelSetupError, NativeTools, Settings, Vendor, collect};

use super::{THREE, events, last, question};
use crate::peer::{Peer, ScriptedResponse};

/// Generating a key is slow, so all tests share one.
static KEY: LazyLock<KeyPair> = LazyLock::new(|| KeyPair::generate(KeySize::Rsa2048).unwrap());

fn private_key() -> String {
    let der: Pkcs8V1Der<'_> = KEY.as_der().unwrap();
    let (mark, text) = ("PRIVATE KEY", BASE64_STANDARD.encode(der.as_ref()));
    format!("-----BEGIN {mark}-----\n{text}\n-----END {mark}-----\n")
}

fn service_account(token_url: &url::Url) -> Value {
    json!({
        "type": "service_account",
        "project_id": "shop",
        "private_key_id": "key-1",
        "private_key": private_key(),
        "client_email": "tarsy@shop.example",
        "token_uri": token_url.join("token").unwrap().as_str(),
    })
}

fn vendor() -> Vendor {
    Vendor::Vertex { project: "shop".to_owned(), location: "europe-west4".to_owned() }
}

fn settings(model_url: &url::Url, credentials: &Value) -> Settings {
    Settings { api_key: Some(Secret::new(credentials.to_string())), ..super::settings(model_url, THREE) }
}

fn token(text: &str, seconds: u32) -> ScriptedResponse {
    let body = json!({ "access_token": text, "expires_in": seconds, "token_type": "Bearer" });
    ScriptedResponse::status(200, &body.to_string())
}

fn success() -> ScriptedResponse {
    ScriptedResponse::stream(events(&[&last(r#"{"text":"Fine."}"#)]).as_bytes(), 99)
}

fn form(body: &str) -> HashMap<String, String> {
    url::form_urlencoded::parse(body.as_bytes()).into_owned().collect()
}

#[tokio::test]
async fn a_service_account_token_is_requested_once_and_reused() {
    let google = Peer::start([token("first", 3600)]).await;
    let vertex = Peer::start([success(), success()]).await;
    let model = vendor().model(settings(&vertex.url, &service_account(&google.url))).unwrap();
    for _ in 0..2 {
        collect(model.stream(question())).await.unwrap();
    }
    for request in vertex.requests() {
        assert_eq!(request.header("authorization"), Some("Bearer first"));
        assert_eq!(
            request.path,
            "/v1/projects/shop/locations/europe-west4/publishers/google/models/gemini-3-pro-preview:streamGenerateContent?alt=sse"
        );
    }
    assert_eq!(google.requests().len(), 1);
    check_assertion(&google.requests()[0].body, &google.url);
}

fn check_assertion(body: &str, token_url: &url::Url) {
    let form = form(body);
    assert_eq!(form["grant_type"], "urn:ietf:params:oauth:grant-type:jwt-bearer");
    let key = DecodingKey::from_rsa_der(KEY.public_key().as_ref());
    let mut validation = Validation::new(Algorithm::RS256);
    let audience = token_url.join("token").unwrap();
    validation.set_audience(&[audience.as_str()]);
    let assertion = jsonwebtoken::decode::<Value>(&form["assertion"], &key, &validation).unwrap();
    assert_eq!(assertion.header.kid.as_deref(), Some("key-1"));
    let claims = assertion.claims;
    assert_eq!(claims["iss"], "tarsy@shop.example");
    assert_eq!(claims["scope"], "https://www.googleapis.com/auth/cloud-platform");
    assert_eq!(claims["exp"].as_u64().unwrap() - claims["iat"].as_u64().unwrap(), 3600);
}

#[tokio::test]
async fn concurrent_requests_share_one_token_request() {
    let google = Peer::start([token("shared", 3600)]).await;
    let vertex = Peer::start((0..8).map(|_| success())).await;
    let model = vendor().model(settings(&vertex.url, &service_account(&google.url))).unwrap();
    for result in join_all((0..8).map(|_| collect(model.stream(question())))).await {
        assert_eq!(result.unwrap().reply.text, "Fine.");
    }
    assert_eq!((google.requests().len(), vertex.requests().len()), (1, 8));
}

#[tokio::test]
async fn a_token_is_renewed_a_minute_before_it_expires() {
    let google = Peer::start([token("short", 59), token("long", 3600)]).await;
    let vertex = Peer::start([success(), success(), success()]).await;
    let model = vendor().model(settings(&vertex.url, &service_account(&google.url))).unwrap();
    for _ in 0..3 {
        collect(model.stream(question())).await.unwrap();
    }
    let used: Vec<_> =
        vertex.requests().iter().map(|request| request.header("authorization").unwrap().to_owned()).collect();
    assert_eq!(used, ["Bearer short", "Bearer long", "Bearer long"]);
}

#[tokio::test]
async fn user_credentials_use_the_refresh_token() {
    let google = Peer::start([token("mine", 3600)]).await;
    let vertex = Peer::start([success()]).await;
    let credentials = json!({
        "type": "authorized_user",
        "client_id": "client",
        "client_secret": "not & secret",
        "refresh_token": "1//refresh",
        "token_uri": google.url.as_str(),
    });
    let model = vendor().model(settings(&vertex.url, &credentials)).unwrap();
    collect(model.stream(question())).await.unwrap();
    let form = form(&google.requests()[0].body);
    let expected = [
        ("grant_type", "refresh_token"),
        ("client_id", "client"),
        ("client_secret", "not & secret"),
        ("refresh_token", "1//refresh"),
    ];
    assert_eq!(form, expected.map(|(key, value)| (key.to_owned(), value.to_owned())).into());
}

#[tokio::test]
async fn a_rejected_token_request_carries_the_reason() {
    let invalid = r#"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#;
    let account = "Google gives the service account tarsy@shop.example no access token";
    for (answer, kind, expected) in [
        (
            ScriptedResponse::status(400, invalid),
            Kind::Credentials,
            format!("{account} (400): invalid_grant: Invalid JWT Signature."),
        ),
        (ScriptedResponse::status(503, "busy"), Kind::Overloaded, format!("{account} (503): ")),
        (ScriptedResponse::status(429, "{}"), Kind::RateLimit, format!("{account} (429): ")),
        (
            ScriptedResponse::status(200, "{}"),
            Kind::ProviderBug,
            "Google answered without an access token".to_owned(),
        ),
    ] {
        let google = Peer::start([answer]).await;
        let vertex = Peer::start([]).await;
        let model = vendor().model(settings(&vertex.url, &service_account(&google.url))).unwrap();
        let error = collect(model.stream(question())).await.unwrap_err();
        assert_eq!((error.failure.kind, error.to_string()), (kind, expected));
        assert!(vertex.requests().is_empty());
    }
}

#[tokio::test]
async fn an_unreachable_token_endpoint_is_named() {
    let vertex = Peer::start([]).await;
    let nowhere = "http://127.0.0.1:9/".parse().unwrap();
    let model = vendor().model(settings(&vertex.url, &service_account(&nowhere))).unwrap();
    let error = collect(model.stream(question())).await.unwrap_err();
    assert_eq!(error.failure.kind, Kind::Network);
    assert!(error.to_string().starts_with("no access token from 127.0.0.1: "), "{error}");
}

#[tokio::test]
async fn a_failed_token_request_is_repeated_by_the_next_call() {
    let google = Peer::start([ScriptedResponse::status(503, ""), token("late", 3600)]).await;
    let vertex = Peer::start([success()]).await;
    let model = vendor().model(settings(&vertex.url, &service_account(&google.url))).unwrap();
    collect(model.stream(question())).await.unwrap_err();
    collect(model.stream(question())).await.unwrap();
    assert_eq!(vertex.requests()[0].header("authorization"), Some("Bearer late"));
}

#[test]
fn invalid_credentials_are_reported_without_their_values() {
    let url: url::Url = "https://a.example".parse().unwrap();
    let refused = |credentials: &str| {
        let settings = Settings { api_key: Some(Secret::new(credentials)), ..super::settings(&url, THREE) };
        match vendor().model(settings) {
            Err(ModelSetupError::Credentials(error)) => error.to_string(),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("{credentials}"),
        }
    };
    let invalid = "not a valid Google credentials file";
    for (credentials, expected) in [
        ("AIzaNotAFile", format!("{invalid}: line 1, column 1")),
        (
            r#"{"type":"external_account"}"#,
            "credentials of type \"external_account\" are not supported; use service_account or authorized_user"
                .to_owned(),
        ),
        (r#"{"type":"authorized_user","client_id":"a"}"#, format!("{invalid}: missing field `client_secret`")),
        (
            r#"{"type":"service_account","client_email":"a","private_key":"hush"}"#,
            "private_key is not an RSA key in PEM format".to_owned(),
        ),
    ] {
        assert_eq!(refused(credentials), expected);
    }
}

#[tokio::test]
async fn vertex_accepts_both_kinds_of_tools() {
    let vertex = Peer::start([success()]).await;
    let settings = Settings { api_key: None, ..super::settings(&vertex.url, THREE) };
    let tool = tarsy_domain::ToolDefinition {
        name: "clock.now".to_owned(),
        description: "The time.".to_owned(),
        input_schema: json!({}),
    };
    let native_tools = NativeTools { google_search: true, ..NativeTools::default() };
    let request = ModelRequest { tools: [Arc::new(tool)].into(), native_tools, ..question() };
    collect(vendor().model(settings).unwrap().stream(request)).await.unwrap();
    let body = vertex.requests()[0].json();
    assert_eq!(body["tools"].as_array().unwrap().len(), 2);
    assert_eq!(body.get("toolConfig"), None);
    assert_eq!(vertex.requests()[0].header("authorization"), None);
}

#[test]
fn the_endpoint_depends_on_the_location() {
    let usual = vendor().default_base_url().unwrap();
    assert_eq!(usual.as_str(), "https://europe-west4-aiplatform.googleapis.com/");
}

#[tokio::test]
async fn the_metadata_server_is_used_without_credentials() {
    let google = Peer::start([token("mine", 3600)]).await;
    let vertex = Peer::start([success()]).await;
    let host = format!("{}:{}", google.url.host_str().unwrap(), google.url.port().unwrap());
    let credentials = json!({ "type": "metadata_server", "host": host });
    let model = vendor().model(settings(&vertex.url, &credentials)).unwrap();
    collect(model.stream(question())).await.unwrap();
    let [asked] = &google.requests()[..] else { panic!("{:?}", google.requests()) };
    assert_eq!(asked.path, "/computeMetadata/v1/instance/service-accounts/default/token");
    assert_eq!(asked.header("metadata-flavor"), Some("Google"));
    assert_eq!(vertex.requests()[0].header("authorization"), Some("Bearer mine"));
}
