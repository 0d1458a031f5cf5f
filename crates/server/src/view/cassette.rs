//! A recorded session as a cassette: the file that the `replay` provider plays and `tarsy replay` runs again
//! (docs/cassettes.md).
//!
//! The server writes the format and never reads it. That what it writes can be played is proven by a test of the
//! binary, which exports a session and replays it.

mod outcome;
mod recorded;
mod session;
mod tools;

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_config::Config;
use tarsy_domain::{
    CodeExecution, Grounding, ModelFailure, ModelFailureKind, ModelReply, TokenUsage, ToolCall,
};
use tarsy_store::{LlmCall, StoreError, ToolRun};
use utoipa::ToSchema;

use super::investigation::recorded_json;
pub(crate) use recorded::{RecordedExecution, RecordedSession};
use session::CassetteSession;

const VERSION: u32 = 1;
const SUMMARY: &str = "tool_summary";

/// A cassette.
#[derive(Debug, Serialize, ToSchema)]
pub struct CassetteResponse {
    /// The version of the format.
    cassette: u32,
    /// What is on it, for people.
    description: String,
    /// The turns of each agent, which is called `stage/agent` or `agent`.
    agents: BTreeMap<String, Vec<CassetteTurn>>,
    /// The session that it was recorded from, for whoever runs it again.
    session: CassetteSession,
}

/// One model call.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct CassetteTurn {
    /// The parts of the reply.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    chunks: Vec<CassetteChunk>,
    /// The failure that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<CassetteFailure>,
}

/// One part of a reply.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CassetteChunk {
    #[serde(flatten)]
    part: CassettePart,
    /// How long it took to come.
    #[serde(skip_serializing_if = "Option::is_none")]
    after_ms: Option<u64>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CassettePart {
    Thinking(String),
    Text(String),
    ToolCall(ToolCall),
    CodeExecution(CodeExecution),
    Grounding(Grounding),
    Usage(TokenUsage),
    /// The provider's opaque state.
    State(String),
}

/// A failure.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CassetteFailure {
    kind: ModelFailureKind,
    message: String,
    /// How long it took to come.
    #[serde(skip_serializing_if = "Option::is_none")]
    after_ms: Option<u64>,
}

impl CassetteResponse {
    /// The cassette of a session. What was not recorded of it comes from the configuration.
    pub(crate) fn new(recorded: &RecordedSession, config: &Config) -> Result<Self, StoreError> {
        let mut agents = BTreeMap::new();
        for RecordedExecution { execution, .. } in &recorded.executions {
            let turns = Turns::of(&recorded.model_calls(execution), &recorded.tool_calls(execution))?;
            turns.put(&mut agents, &recorded.name_of(execution));
        }
        let session = &recorded.session;
        let description = format!("Session {} of a {} alert", session.session_id, session.alert_type);
        Ok(Self { cassette: VERSION, description, agents, session: CassetteSession::of(recorded, config)? })
    }
}

/// The turns of one execution.
#[derive(Debug, Default)]
struct Turns {
    own: Vec<CassetteTurn>,
    /// Summaries of tool results, each in the place of its result.
    summaries: Vec<CassetteTurn>,
}

impl Turns {
    /// Puts calls in their places. A summary has the number of the result that it is of, which was recorded before it.
    fn of(calls: &[(u64, &LlmCall)], results: &[(u64, &ToolRun)]) -> Result<Self, StoreError> {
        let mut turns = Self::default();
        for (step, call) in calls {
            let turn = CassetteTurn::of(call)?;
            if call.kind == SUMMARY {
                let number = results.iter().filter(|(result, _)| result < step).count().max(1);
                turns.summaries.resize_with(number - 1, CassetteTurn::nothing);
                turns.summaries.push(turn);
            } else {
                turns.own.push(turn);
            }
        }
        Ok(turns)
    }

    fn put(self, agents: &mut BTreeMap<String, Vec<CassetteTurn>>, name: &str) {
        let lists = [(name.to_owned(), self.own), (format!("{name} summary"), self.summaries)];
        agents.extend(lists.into_iter().filter(|(_, turns)| !turns.is_empty()));
    }
}

impl CassetteTurn {
    fn of(call: &LlmCall) -> Result<Self, StoreError> {
        let Some(response) = call.response.as_deref() else { return Ok(Self::nothing()) };
        if call.error_kind.is_some() {
            let failure: ModelFailure = recorded_json(response, "response")?;
            return Ok(Self::failed(failure, call.duration_ms));
        }
        let reply: ModelReply = recorded_json(response, "response")?;
        Ok(Self { chunks: chunks_of(reply, call.duration_ms), error: None })
    }

    fn failed(failure: ModelFailure, duration_ms: u64) -> Self {
        let ModelFailure { kind, message, partial_text, usage } = failure;
        let partial = (!partial_text.is_empty()).then_some(CassettePart::Text(partial_text));
        let used = (usage != TokenUsage::default()).then_some(CassettePart::Usage(usage));
        let parts = partial.into_iter().chain(used);
        let chunks = parts.map(|part| CassetteChunk { part, after_ms: None }).collect();
        Self { chunks, error: Some(CassetteFailure { kind, message, after_ms: waited(duration_ms) }) }
    }

    /// Stands where nothing was said, so that the turns behind it keep their numbers.
    fn nothing() -> Self {
        let message = "nothing was recorded here".to_owned();
        let error = CassetteFailure { kind: ModelFailureKind::Network, message, after_ms: None };
        Self { chunks: Vec::new(), error: Some(error) }
    }
}

/// The parts of a reply; the first one comes when the whole reply had come.
fn chunks_of(reply: ModelReply, duration_ms: u64) -> Vec<CassetteChunk> {
    let ModelReply { text, thinking, tool_calls, code_executions, groundings, provider_state, usage } = reply;
    let spoken = |text: String, part: fn(String) -> CassettePart| (!text.is_empty()).then(|| part(text));
    let parts = spoken(thinking, CassettePart::Thinking)
        .into_iter()
        .chain(spoken(text, CassettePart::Text))
        .chain(tool_calls.into_iter().map(CassettePart::ToolCall))
        .chain(code_executions.into_iter().map(CassettePart::CodeExecution))
        .chain(groundings.into_iter().map(CassettePart::Grounding))
        .chain(provider_state.map(CassettePart::State))
        .chain([CassettePart::Usage(usage)]);
    let waits = std::iter::once(waited(duration_ms)).chain(std::iter::repeat(None));
    parts.zip(waits).map(|(part, after_ms)| CassetteChunk { part, after_ms }).collect()
}

fn waited(duration_ms: u64) -> Option<u64> {
    (duration_ms > 0).then_some(duration_ms)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_domain::ExecutionId;
    use tarsy_store::Happening;
    use tarsy_testkit::{answer, tool_run};

    use super::*;
    use crate::view::fixture::at;

    fn call(kind: &str, text: &str) -> LlmCall {
        let Happening::Model(call) = answer(ExecutionId::new(), text, at(1)).happening else {
            panic!("a model answers")
        };
        LlmCall { kind: kind.to_owned(), duration_ms: 0, ..call }
    }

    fn result(text: &str) -> ToolRun {
        let Happening::Tool(run) = tool_run(ExecutionId::new(), text, at(1)).happening else {
            panic!("a tool answers")
        };
        run
    }

    #[test]
    fn a_summary_has_the_number_of_its_result() {
        let [one, two, first, second, three] = [
            call("iteration", "one"),
            call("iteration", "two"),
            call(SUMMARY, "second log"),
            call(SUMMARY, "third log"),
            call("iteration", "three"),
        ];
        let results = [result("short"), result("long"), result("long too")];
        let calls = [(1, &one), (3, &two), (5, &first), (7, &second), (8, &three)];
        let results = [(2, &results[0]), (4, &results[1]), (6, &results[2])];
        let mut agents = BTreeMap::new();
        Turns::of(&calls, &results).unwrap().put(&mut agents, "look/A");
        let agents = serde_json::to_value(&agents).unwrap();
        let text = |agent: &str, turn: usize| agents[agent][turn]["chunks"][0]["text"].clone();
        assert_eq!([0, 1, 2].map(|turn| text("look/A", turn)), ["one", "two", "three"]);
        assert_eq!(agents["look/A summary"][0]["error"]["message"], "nothing was recorded here");
        assert_eq!([1, 2].map(|turn| text("look/A summary", turn)), ["second log", "third log"]);
    }

    #[test]
    fn a_failure_says_what_had_come_and_what_it_cost() {
        let failure = ModelFailure {
            kind: ModelFailureKind::Timeout,
            message: "too slow".to_owned(),
            partial_text: "I".to_owned(),
            usage: TokenUsage { input_tokens: 7, ..TokenUsage::default() },
        };
        assert_eq!(
            serde_json::to_value(CassetteTurn::failed(failure, 9)).unwrap(),
            json!({
                "chunks": [
                    { "text": "I" },
                    { "usage": { "input_tokens": 7, "output_tokens": 0, "thinking_tokens": 0, "cached_tokens": 0 } },
                ],
                "error": { "kind": "timeout", "message": "too slow", "after_ms": 9 },
            })
        );
    }

    #[test]
    fn every_part_of_a_reply_is_a_chunk() {
        let reply = ModelReply {
            text: "said".to_owned(),
            thinking: "thought".to_owned(),
            code_executions: vec![CodeExecution { code: "1+1".to_owned(), result: "2".to_owned() }],
            groundings: vec![Grounding { queries: vec!["q".to_owned()], ..Grounding::default() }],
            provider_state: Some("{}".to_owned()),
            tool_calls: vec![ToolCall {
                id: "c".to_owned(),
                name: "s.t".to_owned(),
                arguments: "{ }".to_owned(),
            }],
            usage: TokenUsage { input_tokens: 1, ..TokenUsage::default() },
        };
        assert_eq!(
            serde_json::to_value(chunks_of(reply, 7)).unwrap(),
            json!([
                { "thinking": "thought", "after_ms": 7 },
                { "text": "said" },
                { "tool_call": { "id": "c", "name": "s.t", "arguments": "{ }" } },
                { "code_execution": { "code": "1+1", "result": "2" } },
                { "grounding": { "queries": ["q"] } },
                { "state": "{}" },
                { "usage": { "input_tokens": 1, "output_tokens": 0, "thinking_tokens": 0, "cached_tokens": 0 } },
            ])
        );
    }
}
