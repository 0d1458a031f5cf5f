//! Path traversal against the dashboard's files.

use axum::http::StatusCode;

use super::app::{TOKENS_AND_PROXY, TestApp, request};

#[tokio::test]
async fn rejects_path_traversal() {
    let app = TestApp::new(TOKENS_AND_PROXY).await;
    let traversals = [
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
    for path in traversals {
        let response = app.send(request("GET", path, "192.0.2.1", &[])).await;
        assert_eq!(response.status, StatusCode::NOT_FOUND, "{path}");
        assert!(!response.text.contains("[package]") && !response.text.contains("root:"), "{path}");
    }
    for path in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/..%2f..%2fCargo.toml"] {
        let response = app.send(request("GET", path, "192.0.2.1", &[])).await;
        assert!(!response.text.contains("[package]") && !response.text.contains("root:"), "{path}");
    }
    app.end().await;
}
