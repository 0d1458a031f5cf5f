//! Addresses that try to leave the folder of the dashboard's files.

use axum::http::StatusCode;

use super::app::{TOKENS_AND_PROXY, TestApp, request};

#[tokio::test]
async fn no_address_leads_out_of_the_files_of_the_dashboard() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let climbs = [
        "/assets/../../etc/passwd",
        "/assets/../../../Cargo.toml",
        "/assets/..%2f..%2f..%2fCargo.toml",
        "/assets/%2e%2e/%2e%2e/%2e%2e/Cargo.toml",
        "/assets/..%252f..%252fCargo.toml",
        "/assets/..%5c..%5cCargo.toml",
        "/assets//etc/passwd",
        "/assets/%00/../../etc/passwd",
        "/assets/....//....//etc/passwd",
    ];
    for path in climbs {
        let answer = app.send(request("GET", path, "192.0.2.1", &[])).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(!answer.text.contains("[package]") && !answer.text.contains("root:"), "{path}");
    }
    for path in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/..%2f..%2fCargo.toml"] {
        let answer = app.send(request("GET", path, "192.0.2.1", &[])).await;
        assert!(!answer.text.contains("[package]") && !answer.text.contains("root:"), "{path}");
    }
    app.end().await;
}
