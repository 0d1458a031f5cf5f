//! Somebody else's judge asks every address for right and wrong things: no answer may be a fault of the server or differ
//! from its description.

use std::fmt::Display;
use std::path::Path;
use std::process::{Command, Output};

use super::app::TestApp;

/// Cases for each address, right and wrong ones; with them the judge needs about half a minute.
const CASES: &str = "15";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_asked_the_answer_is_as_described() {
    let app = TestApp::new().await;
    app.completed("done").await;
    judge(app, String::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_about_what_is_there_are_as_described() {
    let app = TestApp::new().await;
    let known = known_values(&app).await;
    judge(app, known).await;
}

/// Ids that are there, because hardly any would be met by chance.
async fn known_values(app: &TestApp) -> String {
    let (kept, removed) = (app.completed("done").await, app.completed("removed").await);
    let stopped = app.under_way("busy").await;
    let value = |operation: &str, name: &str, id: &dyn Display| {
        format!("[[operations]]\ninclude-name = \"{operation}\"\nparameters = {{ {name} = \"{id}\" }}\n")
    };
    let session = "/api/v1/sessions/{session_id}";
    [
        format!("[parameters]\nsession_id = \"{}\"\nalert_id = \"busy\"\n", kept.session_id),
        value(&format!("DELETE {session}"), "session_id", &removed.session_id),
        value(&format!("POST {session}/cancel"), "session_id", &stopped.session_id),
        value(&format!("GET {session}/trace/llm/{{interaction_id}}"), "interaction_id", &kept.model_call),
        value(&format!("GET {session}/trace/mcp/{{interaction_id}}"), "interaction_id", &kept.tool_call),
    ]
    .concat()
}

/// Addresses that may refuse what their description allows: it cannot say which alert types and MCP servers are
/// configured, nor that a request becomes a socket.
const PARTICULAR: [&str; 4] =
    ["POST /alerts", "POST /api/v1/alerts", "POST /api/v1/webhooks/alertmanager", "GET /api/v1/ws"];

async fn judge(app: TestApp, mut settings: String) {
    let directory = tempfile::tempdir().unwrap();
    for operation in PARTICULAR {
        let lenient = "checks.positive_data_acceptance.enabled = false";
        settings.push_str(&format!("[[operations]]\ninclude-name = \"{operation}\"\n{lenient}\n"));
    }
    std::fs::write(directory.path().join("schemathesis.toml"), settings).unwrap();
    let (address, stop) = app.listen().await;
    let folder = directory.path().to_owned();
    let run = move || run_judge(&folder, &format!("http://{address}/api/v1/openapi.json"));
    let judged = tokio::task::spawn_blocking(run).await.unwrap();
    let said = String::from_utf8_lossy(&judged.stdout).into_owned();
    assert!(judged.status.success(), "{said}\n{}", String::from_utf8_lossy(&judged.stderr));
    assert!(said.contains(" generated, "), "it did not judge: {said}");
    drop(stop);
    app.end().await;
}

fn run_judge(folder: &Path, document: &str) -> Output {
    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-peers/venv/bin/schemathesis");
    assert!(judge.exists(), "{} is missing: run `make test-tools`", judge.display());
    Command::new(judge)
        .args(["--config-file", "schemathesis.toml", "run", document, "--no-color"])
        .args(["--phases", "examples,coverage,fuzzing", "--max-examples", CASES, "--continue-on-failure"])
        // A stream that never ends is not an answer that can be waited for.
        .args(["--exclude-path-regex", "/events$"])
        .args(["--seed", "7", "--generation-database", "none", "--warnings", "off"])
        .current_dir(folder)
        .output()
        .unwrap()
}
