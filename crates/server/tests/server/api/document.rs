//! The OpenAPI document and the documentation page.

use axum::http::StatusCode;
use serde_json::{Value, json};
use tarsy_domain::SessionStatus;

use super::app::TestApp;

#[tokio::test]
async fn serves_the_document_that_the_program_prints() {
    let app = TestApp::new().await;
    let served = app.get("/api/v1/openapi.json").await.json();
    assert_eq!(served, serde_json::to_value(tarsy_server::openapi_document()).unwrap());
    app.end().await;
}

#[test]
fn routes_with_an_id_describe_the_404_response() {
    let document = serde_json::to_value(tarsy_server::openapi_document()).unwrap();
    for (path, item) in document["paths"].as_object().unwrap().iter().filter(|(path, _)| path.contains('{')) {
        for (method, operation) in item.as_object().unwrap() {
            assert!(operation["responses"].get("404").is_some(), "{method} {path}");
        }
    }
}

#[test]
fn every_field_of_a_response_is_required() {
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
    assert!(seen > 50, "only {seen} fields were checked");
}

#[test]
fn enums_are_spelled_as_on_the_wire() {
    let document = serde_json::to_value(tarsy_server::openapi_document()).unwrap();
    let status = &document["components"]["schemas"]["SessionStatus"];
    let values: Vec<&str> = SessionStatus::ALL.iter().map(|status| status.as_str()).collect();
    assert_eq!(*status, json!({ "type": "string", "enum": values }));
}

#[tokio::test]
async fn the_documentation_page_has_all_its_files_and_no_inline_script() {
    let app = TestApp::new().await;
    let page = app.get("/api/docs").await;
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    let paths = page.text.split('"').filter(|text| text.starts_with("/api/docs/"));
    let paths: Vec<&str> = paths.collect();
    assert_eq!(paths, ["/api/docs/docs.css", "/api/docs/docs.js"]);
    for path in paths {
        assert_eq!(app.get(path).await.status, StatusCode::OK, "{path}");
    }
    assert!(page.text.contains("defer></script>"), "the content security policy forbids inline scripts");
    assert!(!page.text.contains("//"), "nothing is loaded from other hosts");
    app.end().await;
}
