//! Starts servers and calls their tools.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_domain::ToolCall;
use tarsy_tools::{
    Guard, Pool, Program, Progress, Screen, ServerSettings, ServerState, Surroundings, ToolBox, ToolOutcome,
    Transport,
};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

/// The program that is the guard in these tests.
pub(crate) const PROBE: &str = env!("CARGO_BIN_EXE_tarsy-tools-probe");

pub(crate) fn peers() -> PathBuf {
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-peers/mcp");
    assert!(peers.join("installed").exists(), "scripts/install-test-tools was not run: {}", peers.display());
    peers
}

pub(crate) fn script(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(name).to_string_lossy().into_owned()
}

pub(crate) fn pool() -> Pool {
    let passed_on = std::env::vars().filter(|(name, _)| name == "PATH" || name == "HOME");
    Pool::new(Surroundings {
        base_environment: Arc::new(BTreeMap::from_iter(passed_on)),
        guard: Guard { program: PROBE.into(), arguments: vec!["guard".to_owned()] },
        screen: Screen::new(|server, text| text.replace("on fire", &format!("[hidden by {server}]"))),
    })
}

/// A program as a server with short limits.
pub(crate) fn stdio<A: Into<String>>(
    command: &str,
    arguments: impl IntoIterator<Item = A>,
) -> ServerSettings {
    let mut settings = ServerSettings::new("peer", Transport::Stdio(Program::new(command, arguments)));
    settings.start_within = Duration::from_secs(10);
    settings.call_within = Duration::from_secs(20);
    settings
}

/// The server that does what it should not.
pub(crate) fn faulty(mode: &str) -> ServerSettings {
    stdio("node", [script("faulty.mjs"), mode.to_owned()])
}

pub(crate) fn tool_call(name: &str, arguments: &Value) -> ToolCall {
    ToolCall { id: "call".to_owned(), name: name.to_owned(), arguments: arguments.to_string() }
}

pub(crate) async fn call(toolbox: &ToolBox, name: &str, arguments: Value) -> ToolOutcome {
    let call = tool_call(name, &arguments);
    toolbox.call(&call, &CancellationToken::new(), |_| {}).await.unwrap()
}

/// Calls a tool and keeps what it tells meanwhile.
pub(crate) async fn call_and_listen(
    toolbox: &ToolBox,
    name: &str,
    arguments: Value,
) -> (ToolOutcome, Vec<Progress>) {
    let told = Mutex::new(Vec::new());
    let call = tool_call(name, &arguments);
    let outcome =
        toolbox.call(&call, &CancellationToken::new(), |progress| told.lock().unwrap().push(progress)).await;
    (outcome.unwrap(), told.into_inner().unwrap())
}

/// Calls a tool that never answers, goes away without a word, and waits until the server has noticed all of this.
pub(crate) async fn abandon_a_call(toolbox: &ToolBox, notices: &[&str]) {
    let gone = tokio::time::timeout(Duration::from_millis(200), call(toolbox, "deaf", json!({}))).await;
    assert!(gone.is_err(), "{gone:?}");
    for _ in 0..40 {
        let received = call(toolbox, "received", json!({})).await.text;
        if notices.iter().all(|notice| received.contains(notice)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the server never noticed");
}

/// Waits until the only server is in a state.
pub(crate) async fn until(toolbox: &ToolBox, state: ServerState) {
    for _ in 0..200 {
        if toolbox.health()[0].state == state {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("never {state:?}: {:?}", toolbox.health());
}

/// Starts a server of ours that says on which port it listens. It ends with the value.
pub(crate) async fn listening(mut command: Command) -> (Child, u16) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let port = lines.next_line().await.unwrap().unwrap().parse().unwrap();
    (child, port)
}

/// A port that nobody listened on a moment ago.
pub(crate) fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits until somebody listens on a port.
pub(crate) async fn until_listening(port: u16) {
    for _ in 0..200 {
        if tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("nobody listens on {port}");
}

pub(crate) fn alive(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    status.is_ok_and(|status| !status.contains(") Z "))
}

/// Waits until none of these processes lives.
pub(crate) async fn until_gone(pids: &[u32]) {
    for _ in 0..200 {
        if !pids.iter().any(|pid| alive(*pid)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("still alive: {:?}", pids.iter().filter(|pid| alive(**pid)).collect::<Vec<_>>());
}

/// Every process below one.
pub(crate) fn below(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let children = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<u32> = children
        .flat_map(|pids| pids.split_whitespace().map(|pid| pid.parse().unwrap()).collect::<Vec<_>>())
        .collect();
    children.iter().copied().chain(children.iter().flat_map(|child| below(*child))).collect()
}
