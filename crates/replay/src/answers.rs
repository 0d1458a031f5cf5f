//! What the tools of one server answered to one agent, to be given again.
//!
//! A call is known by its tool and its arguments. The same call again gets the next recorded answer. Pure but for what
//! was given already.

use serde_json::{Map, Value};
use tarsy_tools::read_arguments;

use crate::recording::{RecordedCall, RecordedServer, RecordedTool};

/// How many recorded calls are named to somebody who made another one.
const NAMED: usize = 3;

/// Answers that are left to give.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answers {
    calls: Vec<Call>,
}

#[derive(Debug, Clone, PartialEq)]
struct Call {
    tool: String,
    arguments: Map<String, Value>,
    answer: Answer,
    is_given: bool,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// A result.
    Result(String),
    /// What went wrong: with the tool, or on the way to it.
    Failure(String),
}

impl Answers {
    /// The answers of a server to an agent.
    pub(crate) fn new(server: &RecordedServer, agent: &str) -> Self {
        let own = server.calls.iter().filter(|call| call.agent == agent);
        Self { calls: own.filter_map(|call| Call::read(call, &server.definitions)).collect() }
    }

    /// The next answer to a call. One that was not recorded is a failure that says so.
    pub(crate) fn take(&mut self, tool: &str, arguments: &Map<String, Value>) -> Answer {
        let mut same = self.calls.iter_mut().filter(|call| call.tool == tool && call.arguments == *arguments);
        match same.find(|call| !call.is_given) {
            Some(call) => {
                call.is_given = true;
                call.answer.clone()
            }
            None => Answer::Failure(self.not_recorded(tool, arguments)),
        }
    }

    fn not_recorded(&self, tool: &str, arguments: &Map<String, Value>) -> String {
        let called = format!("{tool} {}", Value::Object(arguments.clone()));
        let of_tool: Vec<&Call> = self.calls.iter().filter(|call| call.tool == tool).collect();
        let times = of_tool.iter().filter(|call| call.arguments == *arguments).count();
        if times > 0 {
            return format!("this call is made once more than the {times} of the recording: {called}");
        }
        let named: Vec<String> = of_tool
            .iter()
            .take(NAMED)
            .map(|call| Value::Object(call.arguments.clone()).to_string())
            .collect();
        match of_tool.len() {
            0 => format!("this call was not recorded: {called}; this agent did not call {tool} then"),
            1..=NAMED => format!("this call was not recorded: {called}; recorded are {}", named.join(", ")),
            more => format!(
                "this call was not recorded: {called}; recorded are {} and {} more",
                named.join(", "),
                more - NAMED
            ),
        }
    }
}

impl Call {
    /// A call as it reached the server. Arguments that do not fit the tool reached none: the tool box refuses them, and
    /// does so again.
    fn read(call: &RecordedCall, tools: &[RecordedTool]) -> Option<Self> {
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
            answer: if call.error.is_some() { Answer::Failure(text) } else { Answer::Result(text) },
            is_given: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(agent: &str, arguments: Value, result: &str) -> RecordedCall {
        RecordedCall {
            agent: agent.to_owned(),
            tool: "log".to_owned(),
            arguments,
            result: result.to_owned(),
            error: None,
            duration_ms: 1,
        }
    }

    fn answers(agent: &str, calls: Vec<RecordedCall>) -> Answers {
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
        Answers::new(&RecordedServer { definitions, calls, ..RecordedServer::default() }, agent)
    }

    fn take(answers: &mut Answers, tool: &str, arguments: &Value) -> Answer {
        answers.take(tool, arguments.as_object().unwrap())
    }

    fn result(text: &str) -> Answer {
        Answer::Result(text.to_owned())
    }

    #[test]
    fn the_same_call_again_gets_the_next_answer() {
        let calls = vec![
            call("a", json!({ "pod": "x", "lines": 3 }), "one"),
            call("a", json!({ "pod": "y" }), "other"),
            call("a", json!({ "lines": 3, "pod": "x" }), "two"),
        ];
        let mut answers = answers("a", calls);
        let asked = json!({ "pod": "x", "lines": 3 });
        assert_eq!(take(&mut answers, "log", &asked), result("one"));
        assert_eq!(take(&mut answers, "log", &json!({ "pod": "y" })), result("other"));
        assert_eq!(take(&mut answers, "log", &asked), result("two"));
        let Answer::Failure(said) = take(&mut answers, "log", &asked) else { panic!("there is a third one") };
        assert_eq!(
            said,
            r#"this call is made once more than the 2 of the recording: log {"pod":"x","lines":3}"#
        );
    }

    #[test]
    fn agents_that_made_the_same_call_get_their_own_answers() {
        let calls = vec![call("a", json!({}), "early"), call("b", json!({}), "late")];
        assert_eq!(take(&mut answers("b", calls.clone()), "log", &json!({})), result("late"));
        assert_eq!(take(&mut answers("a", calls), "log", &json!({})), result("early"));
    }

    #[test]
    fn arguments_are_read_as_the_tool_box_reads_them() {
        let calls = vec![
            call("a", json!("{ broken"), "the arguments are not JSON"),
            call("a", json!({ "pod": "x", "lines": null }), "null means none"),
            call("a", json!(""), "nothing is no arguments"),
        ];
        let mut answers = answers("a", calls);
        assert_eq!(take(&mut answers, "log", &json!({ "pod": "x" })), result("null means none"));
        assert_eq!(take(&mut answers, "log", &json!({})), result("nothing is no arguments"));
        assert_eq!(answers.calls.len(), 2, "one never reached the server");
    }

    #[test]
    fn what_went_wrong_goes_wrong_again() {
        let mut failed = call("a", json!({}), "no answer came within 60 s");
        failed.error = Some("no answer came in time".to_owned());
        let expected = Answer::Failure("no answer came within 60 s".to_owned());
        assert_eq!(take(&mut answers("a", vec![failed]), "log", &json!({})), expected);
    }

    #[test]
    fn a_call_that_was_not_recorded_is_told_what_was() {
        let calls = (1..=5).map(|lines| call("a", json!({ "lines": lines }), "x")).collect();
        let mut answers = answers("a", calls);
        let cases = [
            (
                "log",
                r#"this call was not recorded: log {"pod":"z"}; recorded are {"lines":1}, {"lines":2}, {"lines":3} and 2 more"#,
            ),
            ("list", r#"this call was not recorded: list {"pod":"z"}; this agent did not call list then"#),
        ];
        for (tool, expected) in cases {
            let said = take(&mut answers, tool, &json!({ "pod": "z" }));
            assert_eq!(said, Answer::Failure(expected.to_owned()));
        }
    }
}
