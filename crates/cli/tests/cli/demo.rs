//! `tarsy demo`: every incident is investigated completely, in an empty directory with an empty environment.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tarsy_testkit::{ModelServer, ScriptedReply};
use tempfile::TempDir;
use tokio::time::timeout;

/// Generous, because the machine may be busy.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A running demo, killed when the test ends.
struct Demo {
    child: Child,
    /// Kept open, so that the demo can write to it.
    _stdout: BufReader<ChildStdout>,
    /// The working directory, which must stay empty.
    directory: TempDir,
    address: String,
    session_id: String,
    /// The text that it printed at its start.
    banner: String,
}

impl Demo {
    fn start(arguments: &[&str]) -> Self {
        Self::start_in(&[], arguments)
    }

    /// Starts a demo with these variables.
    fn start_in(environment: &[(&str, &str)], arguments: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_tarsy"))
            .args(["demo", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .env_clear()
            .envs(environment.iter().copied())
            .current_dir(directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut banner = String::new();
        while !banner.contains("Ctrl-C") {
            assert_ne!(stdout.read_line(&mut banner).unwrap(), 0, "the demo exited after: {banner}");
        }
        let address = after(&banner, "listening on ");
        let session_id = after(&banner, "/sessions/");
        Self { child, _stdout: stdout, directory, address, session_id, banner }
    }

    async fn get(&self, path: &str) -> String {
        let response = reqwest::get(format!("{}{path}", self.address)).await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        response.text().await.unwrap()
    }

    async fn get_json(&self, path: &str) -> Value {
        serde_json::from_str(&self.get(path).await).unwrap()
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        let request = reqwest::Client::new().post(format!("{}{path}", self.address));
        let request = request.header("content-type", "application/json").body(body.to_string());
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 202, "{path}");
        serde_json::from_str(&response.text().await.unwrap()).unwrap()
    }

    fn path(&self, rest: &str) -> String {
        path_of(&self.session_id, rest)
    }

    /// Follows the stream of a session until a message matches. Returns everything that was received.
    async fn stream_until(&self, session_id: &str, matches: impl Fn(&Value) -> bool) -> String {
        let mut stream =
            reqwest::get(format!("{}{}", self.address, path_of(session_id, "/events"))).await.unwrap();
        let mut received = String::new();
        let follow = async {
            while !messages(&received).any(|message| matches(&message)) {
                let chunk = stream.chunk().await.unwrap().unwrap();
                received.push_str(&String::from_utf8_lossy(&chunk));
            }
        };
        let ended = timeout(TIME_LIMIT, follow).await;
        assert!(ended.is_ok(), "the message was not received: {received}");
        received
    }

    /// Waits until the first session has completed.
    async fn completed(&self) -> String {
        self.stream_until(&self.session_id, is_completed).await
    }

    async fn ask(&self, question: &str) -> String {
        self.post(&self.path("/chat/messages"), &json!({ "content": question })).await;
        let answered = async {
            let mut tick = tokio::time::interval(Duration::from_millis(20));
            loop {
                tick.tick().await;
                let chat = self.get_json(&self.path("/chat/messages")).await;
                if chat["is_answering"] == false {
                    let messages = chat["messages"].as_array().unwrap();
                    return messages.last().unwrap()["content"].as_str().unwrap().to_owned();
                }
            }
        };
        timeout(TIME_LIMIT, answered).await.unwrap()
    }

    /// Sends SIGINT, as Ctrl-C does, and waits until the demo exits.
    fn stop(mut self) {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), Signal::SIGINT).unwrap();
        assert!(self.child.wait().unwrap().success());
        let left = std::fs::read_dir(self.directory.path()).unwrap().count();
        assert_eq!(left, 0, "files were left in the working directory");
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn path_of(session_id: &str, rest: &str) -> String {
    format!("/api/v1/sessions/{session_id}{rest}")
}

fn after(text: &str, prefix: &str) -> String {
    let (_, rest) = text.split_once(prefix).unwrap_or_else(|| panic!("no {prefix:?} in {text}"));
    rest.split_whitespace().next().unwrap().to_owned()
}

fn messages(received: &str) -> impl Iterator<Item = Value> {
    let data = received.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter_map(|json| serde_json::from_str(json).ok())
}

fn is_completed(message: &Value) -> bool {
    message["type"] == "session.status" && message["data"]["status"] == "completed"
}

/// Returns kind, agent, strategy and status of the executions of a stage.
fn executions(stage: &Value) -> Vec<[&str; 4]> {
    let executions = stage["executions"].as_array().unwrap().iter();
    executions
        .map(|execution| {
            ["kind", "agent_name", "iteration_strategy", "status"]
                .map(|field| execution[field].as_str().unwrap())
        })
        .collect()
}

/// The expected outcome of an incident.
struct Expectation {
    incident: &'static str,
    /// Phrases of the root cause.
    cause: [&'static str; 2],
    /// Values of the Secret that an agent reads.
    secrets: [&'static str; 2],
    question: &'static str,
    answer: &'static str,
}

async fn check_incident(expected: Expectation) {
    let demo = Demo::start(&["--pace", "fast", "--incident", expected.incident]);
    assert!(demo.banner.contains("Model:      recorded replies"), "{}", demo.banner);
    let received = demo.completed().await;
    let session = demo.get_json(&demo.path("")).await;
    check_executions(&session, &expected);
    let trace = tool_calls(&demo).await;
    let seen =
        received + &demo.get(&demo.path("/timeline")).await + &demo.get(&demo.path("/export")).await + &trace;
    assert!(seen.contains("[MASKED:"), "nothing was masked");
    for secret in expected.secrets {
        assert!(!seen.contains(secret), "{secret} was leaked");
    }
    let answer = demo.ask(expected.question).await;
    assert!(answer.contains(expected.answer), "{answer}");
    let unknown = demo.ask("Who wins the cup?").await;
    assert!(unknown.contains("I am a recording") && unknown.contains("GOOGLE_API_KEY"), "{unknown}");
    demo.stop();
}

fn check_executions(session: &Value, expectation: &Expectation) {
    assert_eq!(session["status"], "completed", "{session}");
    let analysis = session["final_analysis"].as_str().unwrap();
    for phrase in expectation.cause {
        assert!(analysis.contains(phrase), "{phrase} is not in: {analysis}");
    }
    assert!(analysis.contains("is a recording"), "{analysis}");
    assert!(session["executive_summary"].as_str().is_some_and(|summary| !summary.is_empty()));
    let stages = session["stages"].as_array().unwrap();
    let mut collected = executions(&stages[0]);
    collected.sort_unstable();
    let expected = [
        ["agent", "ClusterAgent", "react-stage", "completed"],
        ["agent", "MetricsAgent", "native-thinking", "completed"],
        ["synthesis", "SynthesisAgent", "synthesis", "completed"],
    ];
    assert_eq!(collected, expected);
    assert_eq!(executions(&stages[1]), [["agent", "AnalysisAgent", "react-final-analysis", "completed"]]);
}

/// Returns the details of all tool calls.
async fn tool_calls(demo: &Demo) -> String {
    let trace = demo.get_json(&demo.path("/trace")).await;
    let calls = trace["interactions"].as_array().unwrap().iter();
    let calls: Vec<&Value> =
        calls.filter(|call| call["type"] == "mcp" && call["kind"] == "tool_call").collect();
    assert!(calls.len() >= 12, "only {} calls", calls.len());
    let mut all = String::new();
    for call in calls {
        assert_eq!((&call["server"], &call["error_message"]), (&json!("shop"), &Value::Null), "{call}");
        let id = call["interaction_id"].as_str().unwrap();
        all.push_str(&demo.get(&demo.path(&format!("/trace/mcp/{id}"))).await);
    }
    let servers = demo.get("/api/v1/system/mcp-servers").await;
    assert!(servers.contains("tarsy-demo-cluster"), "{servers}");
    let warnings = demo.get("/api/v1/system/warnings").await;
    assert!(warnings.contains("calls no model"), "{warnings}");
    all
}

#[tokio::test]
async fn investigates_the_checkout_incident() {
    check_incident(Expectation {
        incident: "checkout-oom",
        cause: ["OOMKilled", "quote cache without a limit"],
        secrets: ["dmVsdmV0LWhhcmJvdXItNzctbGFudGVybg==", "Y29wcGVyLW1lYWRvdy0zMS1zYWls"],
        question: "Should we roll back?",
        answer: "rollout undo deployment/checkout",
    })
    .await;
}

#[tokio::test]
async fn investigates_the_certificate_incident() {
    check_incident(Expectation {
        incident: "expired-certificate",
        cause: ["`shop-internal-ca` expired", "shop-root-key"],
        secrets: [
            "YW5kIHRoaXMgd291bGQgYmUgaXRzIHByaXZhdGUga2V5LCBpZiBpdCBoYWQgb25l",
            "bmVpdGhlciBpcyB0aGlzIG9uZSwgYnV0IGl0IHN0YW5kcyBmb3IgdGhlIENB",
        ],
        question: "Is it still happening?",
        answer: "I just checked",
    })
    .await;
}

#[tokio::test]
async fn investigates_the_database_incident() {
    check_incident(Expectation {
        incident: "slow-database",
        cause: ["missing index", "orders_customer_ref_idx"],
        secrets: ["bWFycmFtLWtldHRsZS0xOS1vcmJpdA==", "b3JkZXJzLWFwcA=="],
        question: "Was it the campaign?",
        answer: "The campaign is not the cause",
    })
    .await;
}

#[tokio::test]
async fn investigates_any_alert_on_the_selected_incident() {
    let demo = Demo::start(&["--pace", "fast"]);
    let alert = json!({ "alert_type": "SomethingElse", "data": "The lights are out." });
    let submitted = demo.post("/api/v1/alerts", &alert).await;
    let session_id = submitted["session_id"].as_str().unwrap();
    demo.stream_until(session_id, is_completed).await;
    let session = demo.get_json(&path_of(session_id, "")).await;
    assert!(session["final_analysis"].as_str().unwrap().contains("quote cache"), "{session}");
    demo.stop();
}

#[tokio::test]
async fn a_real_model_uses_the_same_cluster() {
    let model = ModelServer::start(|request| match request.results() {
        0 if request.text().contains("## Tools\n") => ScriptedReply::Text(
            "Thought: I look.\nAction: shop.kubectl_get\nAction Input: {\"kind\": \"pods\"}".to_owned(),
        ),
        _ => ScriptedReply::Text("Final Answer: It was the cat.".to_owned()),
    })
    .await;
    let demo = Demo::start_in(&[("TARSY_OPENAI_COMPATIBLE_URL", &model.url)], &[]);
    assert!(demo.banner.contains("because TARSY_OPENAI_COMPATIBLE_URL is set"), "{}", demo.banner);
    demo.completed().await;
    let session = demo.get_json(&demo.path("")).await;
    assert!(session["final_analysis"].as_str().unwrap().contains("It was the cat."), "{session}");
    let requests = model.log();
    assert!(
        requests.iter().any(|request| request.text().contains("checkout-6c9d7f5b8-k2x4p")),
        "no agent called the tool"
    );
    assert!(requests.iter().all(|request| request.model == "default"));
    demo.stop();
}

#[tokio::test]
async fn at_the_real_pace_text_is_streamed_before_the_session_ends() {
    let demo = Demo::start(&[]);
    let received = demo.stream_until(&demo.session_id, |message| message["type"] == "stream.chunk").await;
    assert!(!messages(&received).any(|message| is_completed(&message)), "{received}");
    demo.stop();
}

#[test]
fn files_of_the_demo_do_not_mix_with_a_real_database() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().display().to_string();
    let demo = Demo::start(&["--pace", "fast", "--data-dir", &path]);
    demo.stop();
    let mut names: Vec<String> = std::fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with("demo.db-"))
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["demo-config", "demo.db"]);
}

#[test]
fn the_error_for_an_unknown_incident_suggests_a_name() {
    let output = Command::new(env!("CARGO_BIN_EXE_tarsy"))
        .args(["demo", "--incident", "slow-databse"])
        .env_clear()
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.contains("did you mean slow-database?"), "{printed}");
}
