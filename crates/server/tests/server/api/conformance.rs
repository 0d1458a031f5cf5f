//! Conformance to the OpenAPI document, checked by schemathesis with valid and invalid requests.

use std::fmt::Display;
use std::path::Path;
use std::process::{Command, Output};

use super::app::TestApp;

/// Number of cases per operation, for which the test takes about half a minute.
const CASES: &str = "15";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn responses_conform_for_generated_ids() {
    let app = TestApp::new().await;
    app.completed("done").await;
    check(app, String::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn responses_conform_for_existing_ids() {
    let app = TestApp::new().await;
    let known = known_values(&app).await;
    check(app, known).await;
}

/// Returns settings with existing ids, which generated requests would hardly ever hit.
async fn known_values(app: &TestApp) -> String {
    let (kept, deleted) = (app.completed("done").await, app.completed("removed").await);
    let stopped = app.running("busy").await;
    let value = |operation: &str, name: &str, id: &dyn Display| {
        format!("[[operations]]\ninclude-name = \"{operation}\"\nparameters = {{ {name} = \"{id}\" }}\n")
    };
    let session = "/api/v1/sessions/{session_id}";
    [
        format!("[parameters]\nsession_id = \"{}\"\nalert_id = \"busy\"\n", kept.session_id),
        value(&format!("DELETE {session}"), "session_id", &deleted.session_id),
        value(&format!("POST {session}/cancel"), "session_id", &stopped.session_id),
        value(&format!("GET {session}/trace/llm/{{interaction_id}}"), "interaction_id", &kept.model_call),
        value(&format!("GET {session}/trace/mcp/{{interaction_id}}"), "interaction_id", &kept.tool_call),
    ]
    .concat()
}

/// Operations that may reject requests that conform to the document: it cannot describe the configured alert
/// types and MCP servers, which parameters exclude each other, or a WebSocket upgrade.
const STRICTER_THAN_DOCUMENT: [&str; 7] = [
    "POST /alerts",
    "POST /api/v1/alerts",
    "POST /api/v1/webhooks/alertmanager",
    "GET /api/v1/sessions",
    "GET /api/v1/history/sessions",
    "GET /api/v1/system/default-tools",
    "GET /api/v1/ws",
];

async fn check(app: TestApp, mut settings: String) {
    let directory = tempfile::tempdir().unwrap();
    for operation in STRICTER_THAN_DOCUMENT {
        let lenient = "checks.positive_data_acceptance.enabled = false";
        settings.push_str(&format!("[[operations]]\ninclude-name = \"{operation}\"\n{lenient}\n"));
    }
    std::fs::write(directory.path().join("schemathesis.toml"), settings).unwrap();
    let (address, stop) = app.listen().await;
    let folder = directory.path().to_owned();
    let run = move || run_schemathesis(&folder, &format!("http://{address}/api/v1/openapi.json"));
    let checked = tokio::task::spawn_blocking(run).await.unwrap();
    let output = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(checked.status.success(), "{output}\n{}", String::from_utf8_lossy(&checked.stderr));
    assert!(output.contains(" generated, "), "no requests were generated: {output}");
    drop(stop);
    app.end().await;
}

fn run_schemathesis(folder: &Path, document: &str) -> Output {
    let schemathesis =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-peers/venv/bin/schemathesis");
    assert!(schemathesis.exists(), "{} is missing: run `make test-tools`", schemathesis.display());
    Command::new(schemathesis)
        .args(["--config-file", "schemathesis.toml", "run", document, "--no-color"])
        .args(["--phases", "examples,coverage,fuzzing", "--max-examples", CASES, "--continue-on-failure"])
        // The event stream never ends.
        .args(["--exclude-path-regex", "/events$"])
        .args(["--seed", "7", "--generation-database", "none", "--warnings", "off"])
        .current_dir(folder)
        .output()
        .unwrap()
}
