//! `tarsy demo`: the binary alone, in an empty directory with an empty environment, tells each of its stories to the end.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tarsy_testkit::{ModelServer, Said};
use tempfile::TempDir;
use tokio::time::timeout;

/// Long enough for a machine that has other things to do.
const SOON: Duration = Duration::from_secs(60);

/// A running demo; it does not outlive its test.
struct Demo {
    child: Child,
    /// Kept open, for it may have more to say.
    _stdout: BufReader<ChildStdout>,
    /// Where it was started, and where nothing must appear.
    directory: TempDir,
    address: String,
    session_id: String,
    /// What it said at its start.
    welcome: String,
}

impl Demo {
    fn start(arguments: &[&str]) -> Self {
        Self::start_in(&[], arguments)
    }

    /// With these variables in its environment.
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
        let mut welcome = String::new();
        while !welcome.contains("Ctrl-C") {
            assert_ne!(stdout.read_line(&mut welcome).unwrap(), 0, "it ended after saying: {welcome}");
        }
        let address = after(&welcome, "listening on ");
        let session_id = after(&welcome, "/sessions/");
        Self { child, _stdout: stdout, directory, address, session_id, welcome }
    }

    async fn get(&self, path: &str) -> String {
        let answer = reqwest::get(format!("{}{path}", self.address)).await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.text().await.unwrap()
    }

    async fn get_json(&self, path: &str) -> Value {
        serde_json::from_str(&self.get(path).await).unwrap()
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        let request = reqwest::Client::new().post(format!("{}{path}", self.address));
        let request = request.header("content-type", "application/json").body(body.to_string());
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 202, "{path}");
        serde_json::from_str(&answer.text().await.unwrap()).unwrap()
    }

    fn path(&self, rest: &str) -> String {
        path_of(&self.session_id, rest)
    }

    /// Follows a session's stream until a message is the one that is waited for; answers all that was told.
    async fn told(&self, session_id: &str, is_the_one: impl Fn(&Value) -> bool) -> String {
        let mut stream =
            reqwest::get(format!("{}{}", self.address, path_of(session_id, "/events"))).await.unwrap();
        let mut told = String::new();
        let follow = async {
            while !messages(&told).any(|message| is_the_one(&message)) {
                let chunk = stream.chunk().await.unwrap().unwrap();
                told.push_str(&String::from_utf8_lossy(&chunk));
            }
        };
        let ended = timeout(SOON, follow).await;
        assert!(ended.is_ok(), "it has not come: {told}");
        told
    }

    /// Waits until the first session has ended well.
    async fn completed(&self) -> String {
        self.told(&self.session_id, is_completed).await
    }

    async fn ask(&self, question: &str) -> String {
        self.post(&self.path("/chat/messages"), &json!({ "content": question })).await;
        let answers = async {
            let mut tick = tokio::time::interval(Duration::from_millis(20));
            loop {
                tick.tick().await;
                let chat = self.get_json(&self.path("/chat/messages")).await;
                if chat["is_answering"] == false {
                    let said = chat["messages"].as_array().unwrap();
                    return said.last().unwrap()["content"].as_str().unwrap().to_owned();
                }
            }
        };
        timeout(SOON, answers).await.unwrap()
    }

    /// Asks it to stop as Ctrl-C does, and waits until it has.
    fn stop(mut self) {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), Signal::SIGINT).unwrap();
        assert!(self.child.wait().unwrap().success());
        let left = std::fs::read_dir(self.directory.path()).unwrap().count();
        assert_eq!(left, 0, "it left files where it was started");
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // It has ended already where nothing went wrong.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn path_of(session_id: &str, rest: &str) -> String {
    format!("/api/v1/sessions/{session_id}{rest}")
}

fn after(text: &str, mark: &str) -> String {
    let (_, rest) = text.split_once(mark).unwrap_or_else(|| panic!("no {mark:?} in {text}"));
    rest.split_whitespace().next().unwrap().to_owned()
}

fn messages(told: &str) -> impl Iterator<Item = Value> {
    let data = told.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter_map(|json| serde_json::from_str(json).ok())
}

fn is_completed(message: &Value) -> bool {
    message["type"] == "session.status" && message["data"]["status"] == "completed"
}

/// The executions of a stage, by kind, agent, strategy and status.
fn executions(stage: &Value) -> Vec<[&str; 4]> {
    let executions = stage["executions"].as_array().unwrap().iter();
    executions
        .map(|execution| {
            ["kind", "agent_name", "iteration_strategy", "status"]
                .map(|field| execution[field].as_str().unwrap())
        })
        .collect()
}

/// What a story must come to.
struct Story {
    incident: &'static str,
    /// Words of the root cause.
    cause: [&'static str; 2],
    /// Values of the Secret that is read.
    secrets: [&'static str; 2],
    question: &'static str,
    answer: &'static str,
}

async fn is_told_to_the_end(story: Story) {
    let demo = Demo::start(&["--pace", "fast", "--incident", story.incident]);
    assert!(demo.welcome.contains("Model:      a recording"), "{}", demo.welcome);
    let told = demo.completed().await;
    let session = demo.get_json(&demo.path("")).await;
    shows_every_kind_of_work(&session, &story);
    let trace = calls_tools_over_mcp(&demo).await;
    let seen =
        told + &demo.get(&demo.path("/timeline")).await + &demo.get(&demo.path("/export")).await + &trace;
    assert!(seen.contains("[MASKED:"), "nothing was masked");
    for secret in story.secrets {
        assert!(!seen.contains(secret), "{secret} got out");
    }
    let answer = demo.ask(story.question).await;
    assert!(answer.contains(story.answer), "{answer}");
    let honest = demo.ask("Who wins the cup?").await;
    assert!(honest.contains("I am a recording") && honest.contains("GOOGLE_API_KEY"), "{honest}");
    demo.stop();
}

fn shows_every_kind_of_work(session: &Value, story: &Story) {
    assert_eq!(session["status"], "completed", "{session}");
    let analysis = session["final_analysis"].as_str().unwrap();
    for word in story.cause {
        assert!(analysis.contains(word), "{word} is not in: {analysis}");
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

/// Everything that the tools were asked and answered.
async fn calls_tools_over_mcp(demo: &Demo) -> String {
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
    assert!(warnings.contains("no model thinks"), "{warnings}");
    all
}

#[tokio::test]
async fn the_story_of_the_checkout_is_told() {
    is_told_to_the_end(Story {
        incident: "checkout-oom",
        cause: ["OOMKilled", "quote cache without a limit"],
        secrets: ["dmVsdmV0LWhhcmJvdXItNzctbGFudGVybg==", "Y29wcGVyLW1lYWRvdy0zMS1zYWls"],
        question: "Should we roll back?",
        answer: "rollout undo deployment/checkout",
    })
    .await;
}

#[tokio::test]
async fn the_story_of_the_certificate_is_told() {
    is_told_to_the_end(Story {
        incident: "expired-certificate",
        cause: ["`shop-internal-ca` expired", "shop-root-key"],
        secrets: [
            "YW5kIHRoaXMgd291bGQgYmUgaXRzIHByaXZhdGUga2V5LCBpZiBpdCBoYWQgb25l",
            "bmVpdGhlciBpcyB0aGlzIG9uZSwgYnV0IGl0IHN0YW5kcyBmb3IgdGhlIENB",
        ],
        question: "Is it still happening?",
        answer: "I have just looked",
    })
    .await;
}

#[tokio::test]
async fn the_story_of_the_database_is_told() {
    is_told_to_the_end(Story {
        incident: "slow-database",
        cause: ["missing index", "orders_customer_ref_idx"],
        secrets: ["bWFycmFtLWtldHRsZS0xOS1vcmJpdA==", "b3JkZXJzLWFwcA=="],
        question: "Was it the campaign?",
        answer: "The campaign is not the cause",
    })
    .await;
}

#[tokio::test]
async fn any_alert_is_investigated_on_the_chosen_incident() {
    let demo = Demo::start(&["--pace", "fast"]);
    let alert = json!({ "alert_type": "SomethingElse", "data": "The lights are out." });
    let submitted = demo.post("/api/v1/alerts", &alert).await;
    let session_id = submitted["session_id"].as_str().unwrap();
    demo.told(session_id, is_completed).await;
    let session = demo.get_json(&path_of(session_id, "")).await;
    assert!(session["final_analysis"].as_str().unwrap().contains("quote cache"), "{session}");
    demo.stop();
}

#[tokio::test]
async fn a_real_model_looks_at_the_same_cluster() {
    let model = ModelServer::start(|asked| match asked.results() {
        0 if asked.text().contains("## Tools\n") => Said::Text(
            "Thought: I look.\nAction: shop.kubectl_get\nAction Input: {\"kind\": \"pods\"}".to_owned(),
        ),
        _ => Said::Text("Final Answer: It was the cat.".to_owned()),
    })
    .await;
    let demo = Demo::start_in(&[("TARSY_OPENAI_COMPATIBLE_URL", &model.url)], &[]);
    assert!(demo.welcome.contains("because TARSY_OPENAI_COMPATIBLE_URL is set"), "{}", demo.welcome);
    demo.completed().await;
    let session = demo.get_json(&demo.path("")).await;
    assert!(session["final_analysis"].as_str().unwrap().contains("It was the cat."), "{session}");
    let asked = model.log();
    assert!(asked.iter().any(|asked| asked.text().contains("checkout-6c9d7f5b8-k2x4p")), "nobody looked");
    assert!(asked.iter().all(|asked| asked.model == "default"));
    demo.stop();
}

#[tokio::test]
async fn at_its_own_pace_the_first_words_come_at_once_and_the_end_does_not() {
    let demo = Demo::start(&[]);
    let told = demo.told(&demo.session_id, |message| message["type"] == "stream.chunk").await;
    assert!(!messages(&told).any(|message| is_completed(&message)), "{told}");
    demo.stop();
}

#[test]
fn what_is_kept_is_kept_apart_from_a_real_database() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().display().to_string();
    let demo = Demo::start(&["--pace", "fast", "--data-dir", &path]);
    demo.stop();
    let mut names: Vec<String> = std::fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with("demo.db-"))
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["demo-config", "demo.db"]);
}

#[test]
fn an_incident_that_does_not_exist_is_answered_with_those_that_do() {
    let output = Command::new(env!("CARGO_BIN_EXE_tarsy"))
        .args(["demo", "--incident", "slow-databse"])
        .env_clear()
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("did you mean slow-database?"), "{said}");
}
