//! The chains that are disturbed, and what their models say.
//!
//! An answer depends on the request alone. Each says the mark of its session, so that an answer that reached the wrong
//! session would show.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_testkit::{Asked, Said};

/// The chains, each for the alert type of its name.
pub(crate) const CHAINS: [&str; 7] = ["one", "three", "parallel", "react", "restart", "long", "local"];

/// One provider for each voice; by its model's name the script and the audit tell agents apart.
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

/// What the model says to a request, and how long it takes over it.
pub(crate) fn answer(asked: &Asked) -> Said {
    let pace = Pace::of(asked);
    Said::After(pace.before, Box::new(Said::Halting(pace.within, Box::new(say(asked)))))
}

fn say(asked: &Asked) -> Said {
    let mark = mark_of(asked);
    let look = |part: u32| tool("look", json!({ "mark": mark, "part": part, "takes_ms": 40 }));
    match (asked.model.as_str(), asked.results()) {
        ("sums-up", _) => Said::Text(format!("In short: {mark}.")),
        ("merges", _) => Said::Text(format!("All agree about {mark}.")),
        ("digests", _) => Said::Text(format!("The log of {mark} is noise.")),
        ("chats", 0) | ("restarts", 0) => Said::Calls("I look first.".to_owned(), vec![look(1)]),
        ("chats", _) => Said::Text(format!("As I said, {mark}.")),
        ("reacts", results @ 0..2) => Said::Text(format!(
            "Thought: I look.\nAction: shed.look\nAction Input: {{\"mark\": \"{mark}\", \"part\": {results}, \"takes_ms\": 40}}"
        )),
        ("reacts", _) => Said::Text(format!("Thought: I know.\nFinal Answer: It reacted to {mark}.")),
        ("restarts", 1) => {
            let restart = tool("restart", json!({ "mark": mark, "takes_ms": 300 }));
            Said::Calls("I restart it.".to_owned(), vec![restart])
        }
        ("logs", 0) => {
            let log = tool("log", json!({ "mark": mark, "lines": 300, "takes_ms": 40 }));
            Said::Calls("I read the log.".to_owned(), vec![log])
        }
        ("locals", 0) => {
            let look = ("local__look".to_owned(), json!({ "mark": mark }));
            Said::Calls("I look around.".to_owned(), vec![look.clone(), look])
        }
        // The ids of these calls are those of the turn before, as some providers make them.
        (_, results @ 0..2) => {
            let calls = if results == 0 { vec![look(1)] } else { vec![look(2), look(3)] };
            Said::Calls("I look.".to_owned(), calls)
        }
        (model, _) => Said::Text(format!("{model} found {mark}.")),
    }
}

fn tool(name: &str, arguments: Value) -> (String, Value) {
    (format!("shed__{name}"), arguments)
}

/// The mark of the session that a request belongs to.
pub(crate) fn mark_of(asked: &Asked) -> String {
    let text = asked.text();
    let at = text.find("mark-").unwrap_or_else(|| panic!("no mark in a request to {}: {text}", asked.model));
    text[at..at + "mark-0000".len()].to_owned()
}

/// How long an answer takes: before its first word, and in its middle.
struct Pace {
    before: Duration,
    within: Duration,
}

impl Pace {
    /// The same for the same request, and different from one to the next.
    fn of(asked: &Asked) -> Self {
        let mut hasher = DefaultHasher::new();
        (&asked.model, asked.text()).hash(&mut hasher);
        let chance = hasher.finish();
        Self {
            before: Duration::from_millis(10 + chance % 140),
            within: Duration::from_millis(5 + chance / 140 % 95),
        }
    }
}
