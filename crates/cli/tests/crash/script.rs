//! The chains under test and the replies of their models.
//!
//! A reply depends only on the request. Each contains the mark of its session, so that a reply in the wrong session would be
//! detected.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_testkit::{ScriptedReply, ScriptedRequest};

/// The chains, each for the alert type of its name.
pub(crate) const CHAINS: [&str; 7] = ["one", "three", "parallel", "react", "restart", "long", "local"];

/// One provider per agent; the name of the model identifies the agent.
pub(crate) const MODELS: [&str; 15] = [
    "alone", "first", "second", "third", "a", "b", "c", "merges", "reacts", "restarts", "logs", "digests",
    "locals", "sums-up", "chats",
];

pub(crate) const AGENTS: &str = "
agents:
  calls: { mcp_servers: [shed], iteration_strategy: native-thinking }
  reacts: { mcp_servers: [shed], iteration_strategy: react }
  stays: { mcp_servers: [local], iteration_strategy: native-thinking }
";

/// The stages of each chain, in the order of [`CHAINS`].
pub(crate) const STAGES: [&str; 7] = [
    "[{ name: look, agent: calls, llm_provider: alone }]",
    "[{ name: collect, agent: calls, llm_provider: first }, { name: analyse, agent: calls, llm_provider: second }, \
      { name: conclude, agent: calls, llm_provider: third }]",
    "[{ name: look, agents: [{ name: calls, llm_provider: a }, { name: calls, llm_provider: b }, \
      { name: calls, llm_provider: c }], synthesis: { llm_provider: merges } }]",
    "[{ name: look, agent: reacts, llm_provider: reacts }]",
    "[{ name: mend, agent: calls, llm_provider: restarts }]",
    "[{ name: read, agent: calls, llm_provider: logs }]",
    "[{ name: look, agent: stays, llm_provider: locals }]",
];

/// Returns the reply to a request, with its delays.
pub(crate) fn reply(request: &ScriptedRequest) -> ScriptedReply {
    let delays = Delays::of(request);
    ScriptedReply::Delayed(
        delays.before,
        Box::new(ScriptedReply::Paused(delays.within, Box::new(text_of(request)))),
    )
}

fn text_of(request: &ScriptedRequest) -> ScriptedReply {
    let mark = mark_of(request);
    let look = |part: u32| tool("look", json!({ "mark": mark, "part": part, "takes_ms": 40 }));
    match (request.model.as_str(), request.results()) {
        ("sums-up", _) => ScriptedReply::Text(format!("In short: {mark}.")),
        ("merges", _) => ScriptedReply::Text(format!("All agree about {mark}.")),
        ("digests", _) => ScriptedReply::Text(format!("The log of {mark} is noise.")),
        ("chats", 0) | ("restarts", 0) => ScriptedReply::Calls("I look first.".to_owned(), vec![look(1)]),
        ("chats", _) => ScriptedReply::Text(format!("As I messages, {mark}.")),
        ("reacts", results @ 0..2) => ScriptedReply::Text(format!(
            "Thought: I look.\nAction: shed.look\nAction Input: {{\"mark\": \"{mark}\", \"part\": {results}, \"takes_ms\": 40}}"
        )),
        ("reacts", _) => {
            ScriptedReply::Text(format!("Thought: I know.\nFinal Answer: It reacted to {mark}."))
        }
        ("restarts", 1) => {
            let restart = tool("restart", json!({ "mark": mark, "takes_ms": 300 }));
            ScriptedReply::Calls("I restart it.".to_owned(), vec![restart])
        }
        ("logs", 0) => {
            let log = tool("log", json!({ "mark": mark, "lines": 300, "takes_ms": 40 }));
            ScriptedReply::Calls("I read the log.".to_owned(), vec![log])
        }
        ("locals", 0) => {
            let look = ("local__look".to_owned(), json!({ "mark": mark }));
            ScriptedReply::Calls("I look around.".to_owned(), vec![look.clone(), look])
        }
        // The ids equal those of the previous turn, as with some providers.
        (_, results @ 0..2) => {
            let calls = if results == 0 { vec![look(1)] } else { vec![look(2), look(3)] };
            ScriptedReply::Calls("I look.".to_owned(), calls)
        }
        (model, _) => ScriptedReply::Text(format!("{model} found {mark}.")),
    }
}

fn tool(name: &str, arguments: Value) -> (String, Value) {
    (format!("shed__{name}"), arguments)
}

/// Returns the mark of the session that a request belongs to.
pub(crate) fn mark_of(request: &ScriptedRequest) -> String {
    let text = request.text();
    let at =
        text.find("mark-").unwrap_or_else(|| panic!("no mark in a request to {}: {text}", request.model));
    text[at..at + "mark-0000".len()].to_owned()
}

/// The delays of a reply: before its start and in its middle.
struct Delays {
    before: Duration,
    within: Duration,
}

impl Delays {
    /// Derives the delays from a hash of the request.
    fn of(request: &ScriptedRequest) -> Self {
        let mut hasher = DefaultHasher::new();
        (&request.model, request.text()).hash(&mut hasher);
        let hash = hasher.finish();
        Self {
            before: Duration::from_millis(10 + hash % 140),
            within: Duration::from_millis(5 + hash / 140 % 95),
        }
    }
}
