//! Alerts of one's own: a text, a file, a pipe; and everything that can be wrong with them.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tarsy_testkit::{Asked, ModelServer, Said};
use tempfile::TempDir;

use super::running::RunningServer;
use crate::tarsy::{tarsy, text};

/// A configuration whose model does what a test says.
struct Place {
    directory: TempDir,
    model: ModelServer,
}

impl Place {
    async fn new(script: impl Fn(&Asked) -> Said + Send + Sync + 'static) -> Self {
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

    async fn that_knows() -> Self {
        Self::new(|_| Said::Text("The lights are out.".to_owned())).await
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = tarsy(&["investigate", "--config-dir", "."]);
        command.args(arguments).current_dir(self.path());
        command
    }

    /// Runs it with this on its standard input.
    async fn given(&self, input: &str, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        waited(move || child.wait_with_output().unwrap()).await
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }
}

/// Waits on a thread of its own, for the model must be able to answer meanwhile.
async fn waited<T: Send + 'static>(wait: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(wait).await.unwrap()
}

#[tokio::test]
async fn an_alert_comes_through_a_pipe_and_the_papers_are_written() {
    let place = Place::that_knows().await;
    let arguments = ["--output", "report.md", "--record", "run.json", "--data-dir", "kept", "-"];
    let output = place.given("The shop is dark.\n", &arguments).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(
        report.starts_with("# ShopDown: completed\n") && report.ends_with("\nThe lights are out.\n"),
        "{report}"
    );
    assert_eq!(place.file("report.md"), report);
    let cassette: Value = serde_json::from_str(&place.file("run.json")).unwrap();
    assert_eq!(cassette["agents"]["look/Looker"][0]["chunks"][0]["text"], "The lights are out.");
    assert!(place.path().join("kept/investigations.db").exists());
    assert!(place.model.log()[0].text().contains("The shop is dark."));
}

#[tokio::test]
async fn a_file_may_be_a_whole_alert() {
    let place = Place::that_knows().await;
    let alert = r#"{"data": {"shop": "dark"}, "runbook": "Look at the fuse."}"#;
    fs::write(place.path().join("alert.json"), alert).unwrap();
    let output = place.given("", &["alert.json"]).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let asked = place.model.log()[0].text();
    assert!(asked.contains(r#"{"shop": "dark"}"#) && asked.contains("Look at the fuse."), "{asked}");
}

#[tokio::test]
async fn what_cannot_be_investigated_is_refused_before_a_model_is_asked() {
    let place = Place::that_knows().await;
    let cases: [(&[&str], &str, i32, &str); 5] = [
        (&["--alert-type", "Flood"], "Water.", 2, "alert_type"),
        (&["nowhere.txt"], "", 1, "reading nowhere.txt"),
        (&[], "  \n", 1, "standard input: it is empty"),
        (&["--output", "no/such/report.md"], "Dark.", 1, "writing no/such/report.md"),
        (&["--incident", "flood"], "", 2, "there is no incident `flood`"),
    ];
    for (arguments, input, status, told) in cases {
        let mut command = place.command(arguments);
        command.stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // It may have ended before it was told anything.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = waited(move || child.wait_with_output().unwrap()).await;
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(told), "{arguments:?}: {}", text(&output.stderr));
    }
    assert!(place.model.log().is_empty());
}

#[tokio::test]
async fn a_model_that_fails_makes_the_command_fail_and_the_report_says_why() {
    let place = Place::new(|_| Said::Error(401)).await;
    let output = place.given("The shop is dark.", &[]).await;
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(
        report.starts_with("# ShopDown: failed\n") && report.contains("There is no analysis."),
        "{report}"
    );
    assert!(report.contains("401") && text(&output.stderr).contains("✘ look failed"), "{report}");
}

#[tokio::test]
async fn interrupting_it_cancels_the_investigation() {
    let place = Place::new(|_| Said::Nothing).await;
    fs::write(place.path().join("alert.txt"), "The shop is dark.").unwrap();
    let mut command = place.command(&["alert.txt"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    place.model.asked(1).await;
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
    let output = waited(move || child.wait_with_output().unwrap()).await;
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("# ShopDown: cancelled\n"), "{}", text(&output.stdout));
    place.model.left(1).await;
}

#[tokio::test]
async fn a_server_may_be_killed_and_started_again_under_whoever_watches() {
    let times_asked = AtomicUsize::new(0);
    let place = Place::new(move |_| match times_asked.fetch_add(1, Ordering::SeqCst) {
        0 => Said::Nothing,
        _ => Said::Text("The lights are out.".to_owned()),
    })
    .await;
    fs::write(place.path().join("alert.txt"), "The shop is dark.").unwrap();
    let data = place.path().to_str().unwrap().to_owned();
    let serve = ["serve", "--config-dir", &data, "--data-dir", &data];
    let server = RunningServer::start(&serve);
    let address = server.address.clone();
    let mut command = place.command(&["--json", "--server", &address, "alert.txt"]);
    let watching = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    place.model.asked(1).await;
    drop(server);
    let _again = RunningServer::start_at(address.strip_prefix("http://").unwrap(), &serve);
    let output = waited(move || watching.wait_with_output().unwrap()).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    let lines = told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let ids: Vec<u64> = lines.filter_map(|line| line["event_id"].as_u64()).collect();
    assert!(ids.iter().copied().eq(1..=ids.len() as u64), "events are missing or came twice: {ids:?}");
    assert!(told.lines().last().unwrap().contains("The lights are out."), "{told}");
}
