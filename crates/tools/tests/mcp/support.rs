//! Starts servers, calls their tools and waits for conditions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_domain::ToolCall;
use tarsy_tools::{
    CallProgress, Guard, Pool, Program, Screen, ServerContext, ServerSettings, ServerState, ToolBox,
    ToolOutcome, Transport,
};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

/// The program that serves as the guard in these tests.
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
    Pool::new(ServerContext {
        base_environment: Arc::new(BTreeMap::from_iter(passed_on)),
        guard: Guard { program: PROBE.into(), arguments: vec!["guard".to_owned()] },
        screen: Screen::new(|server, text| text.replace("on fire", &format!("[hidden by {server}]"))),
    })
}

/// Settings of a program with short timeouts.
pub(crate) fn stdio<A: Into<String>>(
    command: &str,
    arguments: impl IntoIterator<Item = A>,
) -> ServerSettings {
    let mut settings = ServerSettings::new("peer", Transport::Stdio(Program::new(command, arguments)));
    settings.start_within = Duration::from_secs(10);
    settings.call_within = Duration::from_secs(20);
    settings
}

/// Settings of the server that misbehaves on purpose.
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

/// Calls a tool and returns its outcome with all progress notifications.
pub(crate) async fn call_with_progress(
    toolbox: &ToolBox,
    name: &str,
    arguments: Value,
) -> (ToolOutcome, Vec<CallProgress>) {
    let updates = Mutex::new(Vec::new());
    let call = tool_call(name, &arguments);
    let outcome = toolbox
        .call(&call, &CancellationToken::new(), |progress| updates.lock().unwrap().push(progress))
        .await;
    (outcome.unwrap(), updates.into_inner().unwrap())
}

/// Drops a call while the server is executing it, and waits until the server has recorded all `notices`.
pub(crate) async fn drop_call(toolbox: &ToolBox, notices: &[&str]) {
    tokio::select! {
        outcome = call(toolbox, "never_returns", json!({})) => panic!("{outcome:?}"),
        () = until_received(toolbox, "tools/call:never_returns") => {}
    }
    for notice in notices {
        until_received(toolbox, notice).await;
    }
}

/// Calls `received` until the server has recorded `message`.
pub(crate) async fn until_received(toolbox: &ToolBox, message: &str) {
    let has_received = async || call(toolbox, "received", json!({})).await.text.contains(message);
    let waiting = Box::pin(async { while !has_received().await {} });
    tokio::time::timeout(DEADLINE, waiting)
        .await
        .unwrap_or_else(|_| panic!("the server never received {message}"));
}

/// Deadline of everything that these tests wait for.
const DEADLINE: Duration = Duration::from_secs(20);

/// Polls a condition that offers no notification: a process, a port, or the published state of a server.
pub(crate) async fn wait_until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let polling = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(DEADLINE, polling).await.unwrap_or_else(|_| panic!("timed out: {what}"));
}

/// Waits until the only server is in a state.
pub(crate) async fn until_state(toolbox: &ToolBox, state: ServerState) {
    wait_until(&format!("server is {state:?}"), async || toolbox.health()[0].state == state).await;
}

/// Waits until a connection of the only server has failed.
pub(crate) async fn until_failure(toolbox: &ToolBox) {
    wait_until("server has failed", async || toolbox.health()[0].last_error.is_some()).await;
}

/// Calls the tool that adds another tool, and waits until that one is listed.
pub(crate) async fn assert_tool_changes_are_seen(toolbox: &ToolBox) {
    let before = toolbox.tools().len();
    call(toolbox, "changes", json!({})).await;
    wait_until("the new tool is listed", async || toolbox.tools().len() == before + 1).await;
}

/// Starts a server that prints its port. It is killed on drop.
pub(crate) async fn listening(mut command: Command) -> (Child, u16) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let port = lines.next_line().await.unwrap().unwrap().parse().unwrap();
    (child, port)
}

/// Returns a port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits until a server accepts connections on a port.
pub(crate) async fn until_listening(port: u16) {
    let accepts = async || tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok();
    wait_until(&format!("a server listens on {port}"), accepts).await;
}

pub(crate) fn alive(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    status.is_ok_and(|status| !status.contains(") Z "))
}

/// Waits until none of these processes is alive.
pub(crate) async fn until_exited(pids: &[u32]) {
    wait_until(&format!("{pids:?} have exited"), async || !pids.iter().any(|pid| alive(*pid))).await;
}

/// Returns all descendants of a process.
pub(crate) fn descendants(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let children = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<u32> = children
        .flat_map(|pids| pids.split_whitespace().map(|pid| pid.parse().unwrap()).collect::<Vec<_>>())
        .collect();
    children.iter().copied().chain(children.iter().flat_map(|child| descendants(*child))).collect()
}
