//! The fault-injecting server, and all scenarios on one wire.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use futures_util::{StreamExt, future, stream};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use url::Url;

use super::client::{ScenarioClient, name};
use super::scenario::{Outcome, Scenario};
use super::wire::Wire;
use super::{error_responses, limits, streams, tools};
use crate::program::{Program, python_tool};

pub(crate) const WINDOW_TOKENS: usize = 2_000;
pub(crate) const TOKENS_PER_MINUTE: u32 = 60_000;
pub(crate) const REQUESTS_PER_MINUTE: usize = 20;
/// Number of concurrent scenarios. The server is a single Python process; more would wait for it and hit
/// timeouts.
const SCENARIOS_AT_ONCE: usize = 12;

/// Time limit for all scenarios; they take half a minute.
const LONGEST_GAME: Duration = Duration::from_secs(120);
/// Longer than the longest injected stall.
const LONGEST_END: Duration = Duration::from_secs(40);

/// A running fault server for one wire.
pub(crate) struct FaultServer {
    pub(crate) wire: Wire,
    url: Url,
    client: reqwest::Client,
    _program: Program,
}

impl FaultServer {
    pub(crate) fn open(wire: Wire) -> Self {
        let mut command = Command::new(python_tool("llmock"));
        command.args(["serve", "--port", "0", "--stream-chunk-delay-ms", "5"]);
        command.args(["--context-window", &WINDOW_TOKENS.to_string()]);
        command.args(["--tpm", &TOKENS_PER_MINUTE.to_string(), "--rpm", &REQUESTS_PER_MINUTE.to_string()]);
        let program = Program::start(&mut command);
        let url = program.printed_after("Uvicorn running on ").parse().unwrap();
        // The server closes idle connections early; a request on such a connection would be lost.
        let client = reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap();
        Self { wire, url, client, _program: program }
    }

    /// Runs every scenario and checks the verdict.
    pub(crate) async fn play(&self) {
        let scenarios: Vec<_> =
            error_responses::scenarios(self.wire).into_iter().chain(streams::scenarios(self.wire)).collect();
        let table =
            stream::iter(&scenarios).for_each_concurrent(SCENARIOS_AT_ONCE, |scenario| self.run(scenario));
        let tools = async {
            tools::call_and_result(self).await;
            tools::malformed_arguments(self).await;
            tools::unknown_tool(self).await;
        };
        let limits = async {
            limits::window(self).await;
            limits::tokens(self).await;
            limits::requests(self).await;
        };
        timeout(LONGEST_GAME, future::join3(table, tools, limits)).await.unwrap();
        self.check_attempts(&scenarios).await;
        self.check_verdict(&scenarios);
    }

    /// Returns a client for a scenario.
    pub(crate) fn client(&self, scenario: &str) -> ScenarioClient {
        ScenarioClient::new(self.wire, &self.url, scenario)
    }

    /// Like [`Self::client`], with an output limit.
    pub(crate) fn client_with_budget(&self, scenario: &str, tokens: u32) -> ScenarioClient {
        ScenarioClient::with_budget(self.wire, &self.url, scenario, tokens)
    }

    /// Scripts the server's behavior for the next request of a scenario.
    pub(crate) async fn script(&self, scenario: &str, behavior: &Value) {
        let scenario = Scenario::new(scenario, [behavior.clone()], Outcome::Answered, 1);
        self.post(&scenario).await;
    }

    async fn post(&self, scenario: &Scenario) {
        if scenario.behaviors.is_empty() {
            return;
        }
        let script = scenario.script(&name(self.wire, &scenario.name));
        let address = self.url.join("_llmock/scenario").unwrap();
        let response = self.client.post(address).body(script.to_string()).send().await.unwrap();
        assert_eq!(response.status(), 201, "{script}: {}", response.text().await.unwrap());
    }

    async fn run(&self, scenario: &Scenario) {
        self.post(scenario).await;
        let client = self.client(&scenario.name);
        let reply = client.ask().await;
        let (name, outcome) = (&scenario.name, scenario.outcome);
        match (outcome, &reply) {
            (Outcome::Answered, Ok(answered)) => {
                let usage = answered.reply.usage;
                assert!(!answered.reply.text.is_empty(), "{name}: {answered:?}");
                assert!(usage.input_tokens > 0 && usage.output_tokens > 0, "{name}: {usage:?}");
            }
            (Outcome::Failed(kind) | Outcome::FailedOnce(kind), Err(error)) => {
                assert_eq!(error.failure.kind, kind, "{name}: {error}");
                assert_eq!(error.failure.partial_text, "", "{name}");
            }
            (Outcome::BrokenOff(kind), Err(error)) => {
                assert_eq!(error.failure.kind, kind, "{name}: {error}");
                assert!(error.failure.partial_text.starts_with("one two"), "{name}: {:?}", error.failure);
            }
            _ => panic!("{name} should be {outcome:?}, but is {reply:?}"),
        }
        if matches!(outcome, Outcome::BrokenOff(_) | Outcome::FailedOnce(_)) {
            self.wait_for_end_of(scenario).await;
            client.ask().await.unwrap_or_else(|error| panic!("{name}, asked again: {error}"));
        }
    }

    /// Waits until the server has listed the last request of a scenario as ended. It counts a request as a
    /// new one if the previous one has not ended, and detects a closed connection only at its next write.
    async fn wait_for_end_of(&self, scenario: &Scenario) {
        let model = json!(name(self.wire, &scenario.name));
        let ended = async {
            while !self.requests().await.iter().any(|request| request["model"] == model) {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(LONGEST_END, ended).await.unwrap_or_else(|_| panic!("{model} has not ended"));
    }

    /// Returns the ended requests that the server recorded.
    async fn requests(&self) -> Vec<Value> {
        let journal = self.client.get(self.url.join("_llmock/requests").unwrap()).send().await.unwrap();
        let journal: Value = serde_json::from_str(&journal.text().await.unwrap()).unwrap();
        journal["requests"].as_array().unwrap().clone()
    }

    /// Checks the number of requests per scenario.
    async fn check_attempts(&self, scenarios: &[Scenario]) {
        let requests = self.requests().await;
        let seen = |scenario: &Scenario| {
            let model = json!(name(self.wire, &scenario.name));
            requests.iter().filter(|request| request["model"] == model).count()
        };
        let seen: BTreeMap<_, _> = scenarios.iter().map(|it| (&it.name, seen(it))).collect();
        let expected: BTreeMap<_, _> = scenarios.iter().map(|it| (&it.name, it.attempts)).collect();
        assert_eq!(seen, expected);
        let refused = requests
            .iter()
            .filter(|request| request["fault"].as_str().is_some_and(|fault| fault.starts_with("ratelimit:")));
        assert!(refused.count() >= 2, "both quotas were reached");
    }

    /// Checks that the verdict has no error and no warning.
    fn check_verdict(&self, scenarios: &[Scenario]) {
        let mut command = Command::new(python_tool("llmock"));
        let report =
            command.args(["report", "--strict", "--json", "--url", self.url.as_str()]).output().unwrap();
        let said = String::from_utf8_lossy(&report.stdout);
        assert!(report.status.success(), "{said}{}", String::from_utf8_lossy(&report.stderr));
        let verdict: Value = serde_json::from_str(&said).unwrap();
        let faults = scenarios.iter().flat_map(|scenario| &scenario.behaviors);
        let faults =
            faults.filter(|behavior| behavior["type"] == "fail" || behavior["type"] == "stream_fault");
        assert!(verdict["faults_injected"].as_u64() >= u64::try_from(faults.count()).ok(), "{said}");
    }
}
