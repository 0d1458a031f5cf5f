//! The description of the interface.

use axum::http::StatusCode;
use serde_json::{Value, json};
use tarsy_domain::SessionStatus;

use super::app::TestApp;

#[tokio::test]
async fn what_is_served_is_what_can_be_printed() {
    let app = TestApp::new().await;
    let served = app.get("/api/v1/openapi.json").await.json();
    assert_eq!(served, serde_json::to_value(tarsy_server::openapi_document()).unwrap());
    app.end().await;
}

#[test]
fn addresses_with_an_id_may_answer_that_it_is_unknown() {
    let document = serde_json::to_value(tarsy_server::openapi_document()).unwrap();
    for (path, item) in document["paths"].as_object().unwrap().iter().filter(|(path, _)| path.contains('{')) {
        for (method, operation) in item.as_object().unwrap() {
            assert!(operation["responses"].get("404").is_some(), "{method} {path}");
        }
    }
}

#[test]
fn every_field_of_an_answer_is_always_there() {
    let document = serde_json::to_value(tarsy_server::openapi_document()).unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let mut seen = 0;
    for (name, schema) in schemas.iter().filter(|(name, _)| name.ends_with("Response")) {
        let parts = schema["allOf"].as_array().cloned().unwrap_or_else(|| vec![schema.clone()]);
        for part in parts.iter().filter(|part| part["properties"].is_object()) {
            let required: Vec<&Value> = part["required"].as_array().unwrap().iter().collect();
            for field in part["properties"].as_object().unwrap().keys() {
                assert!(required.iter().any(|name| *name == field), "{name}.{field}");
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "only {seen} fields were looked at");
}

#[test]
fn closed_sets_are_spelled_as_they_are_sent() {
    let document = serde_json::to_value(tarsy_server::openapi_document()).unwrap();
    let status = &document["components"]["schemas"]["SessionStatus"];
    let words: Vec<&str> = SessionStatus::ALL.iter().map(|status| status.as_str()).collect();
    assert_eq!(*status, json!({ "type": "string", "enum": words }));
}

#[tokio::test]
async fn the_page_for_people_has_all_its_files_and_no_script_inside() {
    let app = TestApp::new().await;
    let page = app.get("/api/docs").await;
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    let addresses = page.text.split('"').filter(|text| text.starts_with("/api/docs/"));
    let addresses: Vec<&str> = addresses.collect();
    assert_eq!(addresses, ["/api/docs/docs.css", "/api/docs/docs.js"]);
    for address in addresses {
        assert_eq!(app.get(address).await.status, StatusCode::OK, "{address}");
    }
    assert!(page.text.contains("defer></script>"), "the policy forbids scripts inside the page");
    assert!(!page.text.contains("//"), "nothing comes from elsewhere");
    app.end().await;
}
