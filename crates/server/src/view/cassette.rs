//! Exports a recorded session as a cassette: the file that the `replay` provider plays and `tarsy replay`
//! runs again (docs/cassettes.md). The format itself is defined in `tarsy_domain`.

mod outcome;
mod records;
mod session;
mod tools;

use std::collections::BTreeMap;

use tarsy_config::Config;
use tarsy_domain::{
    Cassette, CassetteChunk, CassetteFailure, CassetteToolCall, CassetteTurn, LlmCallKind, ModelFailure,
    ModelReply, TokenUsage,
};
use tarsy_store::{LlmCall, LlmResponse, StoreError, ToolRun};

pub(crate) use records::{ExecutionRecords, SessionRecords};

/// Builds the cassette of a session. What was not recorded is taken from the configuration.
pub(crate) fn cassette_of(records: &SessionRecords, config: &Config) -> Result<Cassette, StoreError> {
    let session = &records.session;
    let description = format!("Session {} of a {} alert", session.session_id, session.alert_type);
    let mut cassette = Cassette::new(&description);
    for ExecutionRecords { execution, .. } in &records.executions {
        let turns = Turns::of(&records.model_calls(execution), &records.tool_calls(execution));
        turns.put(&mut cassette.agents, &records.name_of(execution));
    }
    let recorded = session::recorded_session(records, config)?;
    let recorded = serde_json::to_value(recorded)
        .map_err(|error| StoreError::corrupt("session", session.session_id, error))?;
    cassette.session = Some(recorded);
    Ok(cassette)
}

/// The turns of one execution.
#[derive(Debug, Default)]
struct Turns {
    own: Vec<CassetteTurn>,
    /// Summaries of tool results; each has the index of its result.
    summaries: Vec<CassetteTurn>,
}

impl Turns {
    /// Assigns calls to turns. A summary gets the number of its result, which is the last one recorded before
    /// it.
    fn of(calls: &[(u64, &LlmCall)], results: &[(u64, &ToolRun)]) -> Self {
        let mut turns = Self::default();
        for (step, call) in calls {
            let turn = turn_of(call);
            if call.kind == LlmCallKind::ToolSummary {
                let number = results.iter().filter(|(result, _)| result < step).count().max(1);
                turns.summaries.resize_with(number - 1, not_recorded);
                turns.summaries.push(turn);
            } else {
                turns.own.push(turn);
            }
        }
        turns
    }

    fn put(self, agents: &mut BTreeMap<String, Vec<CassetteTurn>>, name: &str) {
        let lists = [(name.to_owned(), self.own), (format!("{name} summary"), self.summaries)];
        agents.extend(lists.into_iter().filter(|(_, turns)| !turns.is_empty()));
    }
}

fn turn_of(call: &LlmCall) -> CassetteTurn {
    match call.response.clone() {
        None => not_recorded(),
        Some(LlmResponse::Failure(failure)) => failed_turn(failure, call.duration_ms),
        Some(LlmResponse::Reply(reply)) => {
            CassetteTurn { chunks: chunks_of(reply, call.duration_ms), error: None }
        }
    }
}

fn failed_turn(failure: ModelFailure, duration_ms: u64) -> CassetteTurn {
    let ModelFailure { kind, message, partial_text, retry_after_ms, usage } = failure;
    let partial = (!partial_text.is_empty()).then(|| CassetteChunk::text(partial_text));
    let used = (usage != TokenUsage::default()).then(|| CassetteChunk::usage(usage));
    let chunks = partial.into_iter().chain(used).collect();
    CassetteTurn {
        chunks,
        error: Some(CassetteFailure { kind, message, retry_after_ms, after_ms: duration_ms }),
    }
}

/// Returns a placeholder for a missing reply, so that later turns keep their numbers.
fn not_recorded() -> CassetteTurn {
    let error = CassetteFailure::placeholder("nothing was recorded here");
    CassetteTurn { chunks: Vec::new(), error: Some(error) }
}

/// Splits a reply into chunks. The first one carries the duration of the whole call as its delay.
fn chunks_of(reply: ModelReply, duration_ms: u64) -> Vec<CassetteChunk> {
    let ModelReply {
        text,
        thinking,
        tool_calls,
        code_executions,
        groundings,
        provider_state,
        cut_off,
        usage,
    } = reply;
    let written = |text: String, chunk: fn(String) -> CassetteChunk| (!text.is_empty()).then(|| chunk(text));
    let tool_calls = tool_calls.into_iter().map(CassetteToolCall::verbatim);
    let mut chunks: Vec<CassetteChunk> = written(thinking, CassetteChunk::thinking)
        .into_iter()
        .chain(written(text, CassetteChunk::text))
        .chain(tool_calls.map(CassetteChunk::tool_call))
        .chain(code_executions.into_iter().map(CassetteChunk::code_execution))
        .chain(groundings.into_iter().map(CassetteChunk::grounding))
        .chain(cut_off.then(CassetteChunk::cut_off))
        .chain(provider_state.map(CassetteChunk::state))
        .chain([CassetteChunk::usage(usage)])
        .collect();
    chunks[0].after_ms = duration_ms;
    chunks
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_domain::{CodeExecution, ExecutionId, Grounding, ModelFailureKind, ToolCall};
    use tarsy_store::StepPayload;
    use tarsy_testkit::{model_step, tool_step};

    use super::*;
    use crate::view::fixture::at;

    fn call(kind: LlmCallKind, text: &str) -> LlmCall {
        let StepPayload::Model(call) = model_step(ExecutionId::new(), text, at(1)).payload else {
            panic!("not a model step")
        };
        LlmCall { kind, duration_ms: 0, ..call }
    }

    fn result(text: &str) -> ToolRun {
        let StepPayload::Tool(run) = tool_step(ExecutionId::new(), text, at(1)).payload else {
            panic!("not a tool step")
        };
        run
    }

    #[test]
    fn a_summary_has_the_number_of_its_result() {
        let [one, two, first, second, three] = [
            call(LlmCallKind::Iteration, "one"),
            call(LlmCallKind::Iteration, "two"),
            call(LlmCallKind::ToolSummary, "second log"),
            call(LlmCallKind::ToolSummary, "third log"),
            call(LlmCallKind::Iteration, "three"),
        ];
        let results = [result("short"), result("long"), result("long too")];
        let calls = [(1, &one), (3, &two), (5, &first), (7, &second), (8, &three)];
        let results = [(2, &results[0]), (4, &results[1]), (6, &results[2])];
        let mut agents = BTreeMap::new();
        Turns::of(&calls, &results).put(&mut agents, "look/A");
        let agents = serde_json::to_value(&agents).unwrap();
        let text = |agent: &str, turn: usize| agents[agent][turn]["chunks"][0]["text"].clone();
        assert_eq!([0, 1, 2].map(|turn| text("look/A", turn)), ["one", "two", "three"]);
        assert_eq!(agents["look/A summary"][0]["error"]["message"], "nothing was recorded here");
        assert_eq!([1, 2].map(|turn| text("look/A summary", turn)), ["second log", "third log"]);
    }

    #[test]
    fn a_failed_turn_keeps_partial_text_and_usage() {
        let failure = ModelFailure {
            retry_after_ms: None,
            kind: ModelFailureKind::Timeout,
            message: "too slow".to_owned(),
            partial_text: "I".to_owned(),
            usage: TokenUsage { input_tokens: 7, ..TokenUsage::default() },
        };
        assert_eq!(
            serde_json::to_value(failed_turn(failure, 9)).unwrap(),
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
    fn each_part_of_a_reply_becomes_a_chunk() {
        let reply = ModelReply {
            cut_off: false,
            text: "replied".to_owned(),
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
                { "text": "replied" },
                { "tool_call": { "id": "c", "name": "s.t", "arguments": "{ }" } },
                { "code_execution": { "code": "1+1", "result": "2" } },
                { "grounding": { "queries": ["q"] } },
                { "state": "{}" },
                { "usage": { "input_tokens": 1, "output_tokens": 0, "thinking_tokens": 0, "cached_tokens": 0 } },
            ])
        );
    }
}
