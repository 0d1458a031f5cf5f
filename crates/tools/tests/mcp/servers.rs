//! Third-party servers in several languages, each used as intended.

use std::path::Path;

use serde_json::{Value, json};
use tarsy_domain::{Secret, ToolStatus};
use tarsy_tools::{HttpEndpoint, Pool, ServerSettings, ServerState, ToolBox, Transport};
use tokio::process::Command;

use crate::support::{call, free_port, peers, pool, stdio, until_listening};

fn installed(path: &str) -> String {
    peers().join(path).to_string_lossy().into_owned()
}

async fn open(settings: ServerSettings) -> (Pool, ToolBox) {
    let pool = pool();
    let toolbox = pool.open([settings]).await;
    assert_eq!(toolbox.health()[0].state, ServerState::Ready, "{:?}", toolbox.health());
    (pool, toolbox)
}

fn names(toolbox: &ToolBox) -> Vec<String> {
    let mut names: Vec<_> = toolbox.tools().into_iter().map(|tool| tool.definition.name.clone()).collect();
    names.sort();
    names
}

/// Calls a tool that must succeed.
async fn ok(toolbox: &ToolBox, name: &str, arguments: Value) -> String {
    let outcome = call(toolbox, name, arguments).await;
    assert_eq!(outcome.status, ToolStatus::Ok, "{name}: {outcome:?}");
    outcome.text
}

#[tokio::test]
async fn a_python_server_returns_the_time() {
    let program = installed("python/bin/mcp-server-time");
    let (pool, toolbox) = open(stdio(&program, ["--local-timezone", "UTC"])).await;
    assert_eq!(names(&toolbox), ["peer.convert_time", "peer.get_current_time"]);
    let time = ok(&toolbox, "get_current_time", json!({"timezone": "Europe/Prague"})).await;
    assert!(time.contains("Europe/Prague"), "{time}");
    let noon = json!({"source_timezone": "Asia/Tokyo", "time": "12:00", "target_timezone": "UTC"});
    let converted = ok(&toolbox, "convert_time", noon).await;
    assert!(converted.contains("T03:00:00+00:00"), "{converted}");
    let wrong = call(&toolbox, "get_current_time", json!({"timezone": "Europe/Nowhere"})).await;
    assert_eq!(wrong.status, ToolStatus::Error, "{wrong:?}");
    pool.close().await;
}

#[tokio::test]
async fn the_file_server_writes_and_reads_only_allowed_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let program = installed("node_modules/.bin/mcp-server-filesystem");
    let (pool, toolbox) = open(stdio(&program, [at("")])).await;
    ok(&toolbox, "write_file", json!({"path": at("a.txt"), "content": "first\nsecond"})).await;
    assert_eq!(ok(&toolbox, "read_text_file", json!({"path": at("a.txt"), "head": 1})).await, "first");
    assert!(ok(&toolbox, "list_directory", json!({"path": at("")})).await.contains("[FILE] a.txt"));
    let refused = call(&toolbox, "read_text_file", json!({"path": "/etc/hostname"})).await;
    assert_eq!(refused.status, ToolStatus::Error, "{refused:?}");
    pool.close().await;
}

#[tokio::test]
async fn the_memory_server_finds_what_it_stored() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = stdio(&installed("node_modules/.bin/mcp-server-memory"), [""; 0]);
    let Transport::Stdio(program) = &mut settings.transport else { unreachable!() };
    let file = folder.path().join("memory.jsonl").to_string_lossy().into_owned();
    program.environment.insert("MEMORY_FILE_PATH".to_owned(), Secret::new(file));
    let (pool, toolbox) = open(settings).await;
    let node = json!({"name": "db-1", "entityType": "pod", "observations": ["restarts every hour"]});
    ok(&toolbox, "create_entities", json!({"entities": [node]})).await;
    assert!(ok(&toolbox, "search_nodes", json!({"query": "restarts"})).await.contains("db-1"));
    let wrong = call(&toolbox, "create_entities", json!({"entities": [{"name": "x"}]})).await;
    assert_eq!((wrong.status, wrong.attempts), (ToolStatus::Error, 0), "{wrong:?}");
    pool.close().await;
}

/// Writes a kubeconfig for a cluster that does not exist.
fn kubeconfig(folder: &Path) -> String {
    let file = folder.join("config");
    let nowhere = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "nowhere",
        "clusters": [{"name": "nowhere", "cluster": {"server": "https://127.0.0.1:1"}}],
        "contexts": [{"name": "nowhere", "context": {"cluster": "nowhere", "user": "none"}}],
        "users": [{"name": "none", "user": {}}],
    });
    std::fs::write(&file, nowhere.to_string()).unwrap();
    file.to_string_lossy().into_owned()
}

/// Uses the server in Go, which is available for x86-64 only.
async fn looks_for_pods(settings: ServerSettings) {
    let (pool, toolbox) = open(settings).await;
    let names = names(&toolbox);
    assert!(names.len() > 10 && names.contains(&"peer.pods_list".to_owned()), "{names:?}");
    let contexts = ok(&toolbox, "configuration_view", json!({})).await;
    assert!(contexts.contains("https://127.0.0.1:1"), "{contexts}");
    let pods = call(&toolbox, "pods_list", json!({"fieldSelector": null})).await;
    assert!(pods.status == ToolStatus::Error && pods.text.contains("connection refused"), "{pods:?}");
    pool.close().await;
}

const KUBERNETES: &str =
    "node_modules/kubernetes-mcp-server-linux-amd64/bin/kubernetes-mcp-server-linux-amd64";

#[tokio::test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "the program is for x86-64")]
async fn a_go_server_works_over_stdio() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--read-only".to_owned(), "--kubeconfig".to_owned(), kubeconfig(folder.path())];
    looks_for_pods(stdio(&installed(KUBERNETES), arguments)).await;
}

#[tokio::test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "the program is for x86-64")]
async fn a_go_server_works_over_http() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let mut command = Command::new(installed(KUBERNETES));
    command.args(["--read-only", "--bind-address", "127.0.0.1", "--port", &port.to_string()]);
    command.args(["--kubeconfig", &kubeconfig(folder.path())]).kill_on_drop(true);
    let quiet = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let _server = quiet.spawn().unwrap();
    until_listening(port).await;
    let endpoint = HttpEndpoint::new(format!("http://127.0.0.1:{port}/mcp"));
    looks_for_pods(ServerSettings::new("peer", Transport::Http(endpoint))).await;
}
