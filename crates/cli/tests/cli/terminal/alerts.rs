//! `tarsy investigate` with alerts from files and stdin, and its errors.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tarsy_testkit::{ModelServer, ScriptedReply, ScriptedRequest};
use tempfile::TempDir;

use super::running::RunningServer;
use crate::tarsy::{tarsy, text};

/// A configuration with a scripted model.
struct ScriptedConfig {
    directory: TempDir,
    model: ModelServer,
}

impl ScriptedConfig {
    async fn new(script: impl Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync + 'static) -> Self {
        let model = ModelServer::start(script).await;
        let directory = tempfile::tempdir().unwrap();
        let config = format!(
            "queue: {{ heartbeat_interval: 100ms, lease_duration: 2s, orphan_detection_interval: 100ms }}
defaults: {{ llm_provider: scripted, alert_type: ShopDown, max_iterations: 1 }}
llm_providers:
  scripted: {{ type: openai-compatible, base_url: \"{}\", model: small }}
agents:
  Looker: {{ iteration_strategy: single-call }}
agent_chains:
  shop:
    alert_types: [ShopDown]
    stages: [{{ name: look, agent: Looker }}]
",
            model.url
        );
        fs::write(directory.path().join("tarsy.yaml"), config).unwrap();
        Self { directory, model }
    }

    async fn with_reply() -> Self {
        Self::new(|_| ScriptedReply::Text("The lights are out.".to_owned())).await
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = tarsy(&["investigate", "--config-dir", "."]);
        command.args(arguments).current_dir(self.path());
        command
    }

    /// Starts an investigation with a report, a recording and a database.
    fn spawn_with_files(&self) -> Child {
        fs::write(self.path().join("alert.txt"), "The shop is dark.").unwrap();
        let mut command = self.command(&[
            "--output",
            "report.md",
            "--record",
            "run.json",
            "--data-dir",
            "data",
            "alert.txt",
        ]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Returns the report and the recording.
    fn written_files(&self) -> (String, Value) {
        let read = |name: &str| fs::read_to_string(self.path().join(name)).unwrap();
        (read("report.md"), serde_json::from_str(&read("run.json")).unwrap())
    }

    /// Runs the command with this input on stdin.
    async fn run_with_input(&self, input: &str, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        blocking(move || child.wait_with_output().unwrap()).await
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }
}

/// Runs a blocking function on another thread, so that the scripted model can reply.
async fn blocking<T: Send + 'static>(function: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(function).await.unwrap()
}

#[tokio::test]
async fn reads_an_alert_from_stdin_and_writes_report_and_export() {
    let config = ScriptedConfig::with_reply().await;
    let arguments = ["--output", "report.md", "--record", "run.json", "--data-dir", "kept", "-"];
    let output = config.run_with_input("The shop is dark.\n", &arguments).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(
        report.starts_with("# ShopDown: completed\n") && report.ends_with("\nThe lights are out.\n"),
        "{report}"
    );
    assert_eq!(config.file("report.md"), report);
    let cassette: Value = serde_json::from_str(&config.file("run.json")).unwrap();
    assert_eq!(cassette["agents"]["look/Looker"][0]["chunks"][0]["text"], "The lights are out.");
    assert!(config.path().join("kept/investigations.db").exists());
    assert!(config.model.log()[0].text().contains("The shop is dark."));
}

#[tokio::test]
async fn a_file_may_contain_a_complete_alert() {
    let config = ScriptedConfig::with_reply().await;
    let alert = r#"{"data": {"shop": "dark"}, "runbook": "Look at the fuse."}"#;
    fs::write(config.path().join("alert.json"), alert).unwrap();
    let output = config.run_with_input("", &["alert.json"]).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let request = config.model.log()[0].text();
    assert!(request.contains(r#"{"shop": "dark"}"#) && request.contains("Look at the fuse."), "{request}");
}

#[tokio::test]
async fn invalid_arguments_are_rejected_before_a_model_call() {
    let config = ScriptedConfig::with_reply().await;
    let cases: [(&[&str], &str, i32, &str); 5] = [
        (&["--alert-type", "Flood"], "Water.", 2, "alert_type"),
        (&["nowhere.txt"], "", 1, "reading nowhere.txt"),
        (&[], "  \n", 1, "stdin: the alert is empty"),
        (&["--output", "no/such/report.md"], "Dark.", 1, "writing no/such/report.md"),
        (&["--incident", "flood"], "", 2, "there is no incident `flood`"),
    ];
    for (arguments, input, status, expected) in cases {
        let mut command = config.command(arguments);
        command.stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // The command may have exited before it reads stdin.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = blocking(move || child.wait_with_output().unwrap()).await;
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
    }
    assert!(config.model.log().is_empty());
}

#[tokio::test]
async fn a_model_failure_fails_the_command_and_is_in_the_report() {
    let config = ScriptedConfig::new(|_| ScriptedReply::Error(401)).await;
    let output = config.run_with_input("The shop is dark.", &[]).await;
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(
        report.starts_with("# ShopDown: failed\n") && report.contains("No analysis is available."),
        "{report}"
    );
    assert!(report.contains("401") && text(&output.stderr).contains("✘ look failed"), "{report}");
}

#[tokio::test]
async fn sigint_cancels_the_investigation() {
    let config = ScriptedConfig::new(|_| ScriptedReply::Hang).await;
    fs::write(config.path().join("alert.txt"), "The shop is dark.").unwrap();
    let mut command = config.command(&["alert.txt"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    config.model.wait_for_requests(1).await;
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
    let output = blocking(move || child.wait_with_output().unwrap()).await;
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("# ShopDown: cancelled\n"), "{}", text(&output.stdout));
    config.model.wait_for_disconnects(1).await;
}

#[tokio::test]
async fn a_second_signal_within_a_moment_belongs_to_the_first() {
    for signals in [[Signal::SIGTERM, Signal::SIGINT], [Signal::SIGINT, Signal::SIGTERM]] {
        let config = ScriptedConfig::new(|_| ScriptedReply::Hang).await;
        let child = config.spawn_with_files();
        config.model.wait_for_requests(1).await;
        signals.into_iter().for_each(|signal| send(&child, signal));
        let output = blocking(move || child.wait_with_output().unwrap()).await;
        assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
        assert!(text(&output.stdout).starts_with("# ShopDown: cancelled\n"), "{}", text(&output.stdout));
        let (report, recording) = config.written_files();
        assert_eq!(report, text(&output.stdout));
        assert_eq!(recording["session"]["outcome"]["status"], "cancelled", "{recording}");
    }
}

/// The session cannot end, because its database is locked by this test.
#[tokio::test]
async fn a_later_second_signal_writes_what_is_recorded() {
    let config = ScriptedConfig::new(|_| ScriptedReply::Hang).await;
    let mut child = config.spawn_with_files();
    config.model.wait_for_requests(1).await;
    let _lock = lock_for_writing(&config.path().join("data/investigations.db-shm"));
    let status = blocking(move || {
        loop {
            match child.try_wait().unwrap() {
                Some(status) => break status,
                None => send(&child, Signal::SIGINT),
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    })
    .await;
    assert_eq!(status.code(), Some(130));
    let (report, recording) = config.written_files();
    assert!(report.starts_with("# ShopDown: in progress\n"), "{report}");
    assert_eq!(recording["session"]["alert_type"], "ShopDown", "{recording}");
}

/// Locks a SQLite database in WAL mode against writers in other processes, until the file is closed.
///
/// The write lock is a record lock on byte 120 of the shared-memory file (<https://sqlite.org/walformat.html>).
fn lock_for_writing(shared_memory: &Path) -> fs::File {
    let file = fs::OpenOptions::new().read(true).write(true).open(shared_memory).unwrap();
    let lock = nix::libc::flock {
        l_type: i16::try_from(nix::libc::F_WRLCK).unwrap(),
        l_whence: i16::try_from(nix::libc::SEEK_SET).unwrap(),
        l_start: 120,
        l_len: 1,
        l_pid: 0,
    };
    nix::fcntl::fcntl(&file, nix::fcntl::FcntlArg::F_SETLKW(&lock)).unwrap();
    file
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

#[tokio::test]
async fn watching_continues_after_the_server_restarts() {
    let requests = AtomicUsize::new(0);
    let config = ScriptedConfig::new(move |_| match requests.fetch_add(1, Ordering::SeqCst) {
        0 => ScriptedReply::Hang,
        _ => ScriptedReply::Text("The lights are out.".to_owned()),
    })
    .await;
    fs::write(config.path().join("alert.txt"), "The shop is dark.").unwrap();
    let data = config.path().to_str().unwrap().to_owned();
    let serve = ["serve", "--config-dir", &data, "--data-dir", &data];
    let server = RunningServer::start(&serve);
    let address = server.address.clone();
    let mut command = config.command(&["--json", "--server", &address, "alert.txt"]);
    let watching = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    config.model.wait_for_requests(1).await;
    drop(server);
    let _again = RunningServer::start_at(address.strip_prefix("http://").unwrap(), &serve);
    let output = blocking(move || watching.wait_with_output().unwrap()).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let received = text(&output.stdout);
    let lines = received.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let ids: Vec<u64> = lines.filter_map(|line| line["event_id"].as_u64()).collect();
    assert!(ids.iter().copied().eq(1..=ids.len() as u64), "events are missing or duplicated: {ids:?}");
    assert!(received.lines().last().unwrap().contains("The lights are out."), "{received}");
}
