//! The recorded tool results of one server for one agent.
//!
//! A call is identified by its tool and its arguments. If the same call is repeated, it gets the next recorded result.

use serde_json::{Map, Value};
use tarsy_domain::{RecordedServer, RecordedTool, RecordedToolCall};
use tarsy_tools::read_arguments;

/// The number of recorded calls that the error for an unrecorded call lists.
const MAX_LISTED: usize = 3;

/// The results of one server for one agent, with those that were returned already.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecordedResults {
    calls: Vec<ReplayableCall>,
}

#[derive(Debug, Clone, PartialEq)]
struct ReplayableCall {
    tool: String,
    arguments: Map<String, Value>,
    result: ReplayedResult,
    is_used: bool,
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReplayedResult {
    /// The text of a successful result.
    Success(String),
    /// The error of the tool, or of the connection to it.
    Failure(String),
}

impl RecordedResults {
    /// Collects the results of a server for an agent.
    pub(crate) fn new(server: &RecordedServer, agent: &str) -> Self {
        let own = server.calls.iter().filter(|call| call.agent == agent);
        Self { calls: own.filter_map(|call| ReplayableCall::new(call, &server.definitions)).collect() }
    }

    /// Returns the next result of a call. A call that was not recorded is a failure.
    pub(crate) fn take(&mut self, tool: &str, arguments: &Map<String, Value>) -> ReplayedResult {
        let mut same = self.calls.iter_mut().filter(|call| call.tool == tool && call.arguments == *arguments);
        match same.find(|call| !call.is_used) {
            Some(call) => {
                call.is_used = true;
                call.result.clone()
            }
            None => ReplayedResult::Failure(self.not_recorded(tool, arguments)),
        }
    }

    fn not_recorded(&self, tool: &str, arguments: &Map<String, Value>) -> String {
        let called = format!("{tool} {}", Value::Object(arguments.clone()));
        let of_tool: Vec<&ReplayableCall> = self.calls.iter().filter(|call| call.tool == tool).collect();
        let times = of_tool.iter().filter(|call| call.arguments == *arguments).count();
        if times > 0 {
            return format!("this call is made once more than the {times} of the recording: {called}");
        }
        let named: Vec<String> = of_tool
            .iter()
            .take(MAX_LISTED)
            .map(|call| Value::Object(call.arguments.clone()).to_string())
            .collect();
        match of_tool.len() {
            0 => format!("this call was not recorded: {called}; this agent did not call {tool} then"),
            1..=MAX_LISTED => {
                format!("this call was not recorded: {called}; recorded are {}", named.join(", "))
            }
            more => format!(
                "this call was not recorded: {called}; recorded are {} and {} more",
                named.join(", "),
                more - MAX_LISTED
            ),
        }
    }
}

impl ReplayableCall {
    /// Returns the call as the server received it. `None` if it did not reach the server because its arguments were
    /// invalid: the toolbox rejects them again.
    fn new(call: &RecordedToolCall, tools: &[RecordedTool]) -> Option<Self> {
        let tool = tools.iter().find(|tool| tool.name == call.tool)?;
        let written = match &call.arguments {
            Value::String(text) => text.clone(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                call.arguments.to_string()
            }
        };
        let text = call.result.clone();
        Some(Self {
            tool: call.tool.clone(),
            arguments: read_arguments(&tool.input_schema, &written).ok()?,
            result: if call.error.is_some() {
                ReplayedResult::Failure(text)
            } else {
                ReplayedResult::Success(text)
            },
            is_used: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(agent: &str, arguments: Value, result: &str) -> RecordedToolCall {
        RecordedToolCall {
            agent: agent.to_owned(),
            tool: "log".to_owned(),
            arguments,
            result: result.to_owned(),
            error: None,
            duration_ms: 1,
        }
    }

    fn results_of(agent: &str, calls: Vec<RecordedToolCall>) -> RecordedResults {
        let schema = json!({
            "type": "object",
            "properties": { "pod": { "type": "string" }, "lines": { "type": "integer" } },
        });
        let tool = |name: &str| RecordedTool {
            name: name.to_owned(),
            description: String::new(),
            input_schema: schema.clone(),
        };
        let definitions = vec![tool("log"), tool("list")];
        RecordedResults::new(&RecordedServer { definitions, calls, ..RecordedServer::default() }, agent)
    }

    fn take(results: &mut RecordedResults, tool: &str, arguments: &Value) -> ReplayedResult {
        results.take(tool, arguments.as_object().unwrap())
    }

    fn success(text: &str) -> ReplayedResult {
        ReplayedResult::Success(text.to_owned())
    }

    #[test]
    fn a_repeated_call_gets_the_next_result() {
        let calls = vec![
            call("a", json!({ "pod": "x", "lines": 3 }), "one"),
            call("a", json!({ "pod": "y" }), "other"),
            call("a", json!({ "lines": 3, "pod": "x" }), "two"),
        ];
        let mut results = results_of("a", calls);
        let arguments = json!({ "pod": "x", "lines": 3 });
        assert_eq!(take(&mut results, "log", &arguments), success("one"));
        assert_eq!(take(&mut results, "log", &json!({ "pod": "y" })), success("other"));
        assert_eq!(take(&mut results, "log", &arguments), success("two"));
        let ReplayedResult::Failure(error) = take(&mut results, "log", &arguments) else {
            panic!("expected a failure")
        };
        assert_eq!(
            error,
            r#"this call is made once more than the 2 of the recording: log {"pod":"x","lines":3}"#
        );
    }

    #[test]
    fn each_agent_gets_its_own_results() {
        let calls = vec![call("a", json!({}), "early"), call("b", json!({}), "late")];
        assert_eq!(take(&mut results_of("b", calls.clone()), "log", &json!({})), success("late"));
        assert_eq!(take(&mut results_of("a", calls), "log", &json!({})), success("early"));
    }

    #[test]
    fn arguments_are_parsed_as_in_the_toolbox() {
        let calls = vec![
            call("a", json!("{ broken"), "the arguments are not JSON"),
            call("a", json!({ "pod": "x", "lines": null }), "null means none"),
            call("a", json!(""), "nothing is no arguments"),
        ];
        let mut results = results_of("a", calls);
        assert_eq!(take(&mut results, "log", &json!({ "pod": "x" })), success("null means none"));
        assert_eq!(take(&mut results, "log", &json!({})), success("nothing is no arguments"));
        assert_eq!(results.calls.len(), 2, "the call with invalid arguments did not reach the server");
    }

    #[test]
    fn a_recorded_failure_is_a_failure() {
        let mut failed = call("a", json!({}), "no answer came within 60 s");
        failed.error = Some("no answer came in time".to_owned());
        let expected = ReplayedResult::Failure("no answer came within 60 s".to_owned());
        assert_eq!(take(&mut results_of("a", vec![failed]), "log", &json!({})), expected);
    }

    #[test]
    fn the_error_for_an_unrecorded_call_lists_recorded_ones() {
        let calls = (1..=5).map(|lines| call("a", json!({ "lines": lines }), "x")).collect();
        let mut results = results_of("a", calls);
        let cases = [
            (
                "log",
                r#"this call was not recorded: log {"pod":"z"}; recorded are {"lines":1}, {"lines":2}, {"lines":3} and 2 more"#,
            ),
            ("list", r#"this call was not recorded: list {"pod":"z"}; this agent did not call list then"#),
        ];
        for (tool, expected) in cases {
            let result = take(&mut results, tool, &json!({ "pod": "z" }));
            assert_eq!(result, ReplayedResult::Failure(expected.to_owned()));
        }
    }
}
