//! A recorded session as a cassette: the file that the `replay` provider plays (docs/cassettes.md).
//!
//! The server writes the format and never reads it. That what it writes can be played is proven by a test of the
//! binary, which exports a session and replays it.

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_domain::{
    CodeExecution, ExecutionKind, Grounding, ModelFailure, ModelFailureKind, ModelReply, TokenUsage, ToolCall,
};
use tarsy_store::{Execution, LlmCall, LlmInteraction, Session, Stage, StoreError};
use utoipa::ToSchema;

use super::investigation::recorded_json;

const VERSION: u32 = 1;
const SUMMARY: &str = "tool_summary";

/// What a cassette is made of.
pub(crate) struct RecordedSession {
    pub(crate) session: Session,
    pub(crate) stages: Vec<Stage>,
    pub(crate) executions: Vec<Execution>,
    pub(crate) calls: Vec<LlmInteraction>,
}

/// A cassette.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CassetteResponse {
    /// The version of the format.
    cassette: u32,
    /// What is on it, for people.
    description: String,
    /// The turns of each agent, which is called `stage/agent` or `agent`.
    agents: BTreeMap<String, Vec<CassetteTurn>>,
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

impl TryFrom<RecordedSession> for CassetteResponse {
    type Error = StoreError;

    fn try_from(recorded: RecordedSession) -> Result<Self, StoreError> {
        let RecordedSession { session, stages, executions, mut calls } = recorded;
        calls.sort_by_key(|interaction| interaction.step);
        let mut agents = BTreeMap::new();
        for execution in &executions {
            let own = calls.iter().filter(|call| call.execution_id == execution.identity.execution_id);
            record_execution(&mut agents, &name_of(execution, &stages), own.map(|call| &call.call))?;
        }
        let description = format!("Session {} of a {} alert", session.session_id, session.alert_type);
        Ok(Self { cassette: VERSION, description, agents })
    }
}

/// What a replay calls the agent by; it must be what the engine calls it by when it asks a model.
fn name_of(execution: &Execution, stages: &[Stage]) -> String {
    let identity = &execution.identity;
    let stage = stages.iter().find(|stage| Some(stage.stage_id) == identity.stage_id);
    match (stage, identity.kind) {
        (Some(stage), _) => format!("{}/{}", stage.name, identity.agent_name),
        (None, ExecutionKind::Chat) => format!("chat {}/{}", identity.agent_index, identity.agent_name),
        (None, ExecutionKind::Agent | ExecutionKind::Synthesis | ExecutionKind::ExecutiveSummary) => {
            identity.agent_name.clone()
        }
    }
}

/// Puts the calls of one execution in their places. A summary of a tool result has the number of the call before it.
fn record_execution<'calls>(
    agents: &mut BTreeMap<String, Vec<CassetteTurn>>,
    name: &str,
    calls: impl Iterator<Item = &'calls LlmCall>,
) -> Result<(), StoreError> {
    let mut turns = Vec::new();
    let mut summaries: Vec<CassetteTurn> = Vec::new();
    // A call that was given up is no part of what happened: a replay comes to its end without it.
    for call in calls.filter(|call| !call.was_stopped()) {
        if call.kind == SUMMARY {
            summaries.resize_with(turns.len().max(1) - 1, CassetteTurn::nothing);
            summaries.push(CassetteTurn::of(call)?);
        } else {
            turns.push(CassetteTurn::of(call)?);
        }
    }
    if !turns.is_empty() {
        agents.insert(name.to_owned(), turns);
    }
    if !summaries.is_empty() {
        agents.insert(format!("{name} summary"), summaries);
    }
    Ok(())
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
        let ModelFailure { kind, message, partial_text, .. } = failure;
        let partial = (!partial_text.is_empty()).then_some(CassettePart::Text(partial_text));
        let chunks = partial.into_iter().map(|part| CassetteChunk { part, after_ms: None }).collect();
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
    use tarsy_domain::{ExecutionId, WorkStatus};
    use tarsy_store::{Happening, STOPPED};
    use tarsy_testkit::answer;

    use super::*;
    use crate::view::fixture::{at, execution, stage};

    fn call(kind: &str, text: &str) -> LlmCall {
        let Happening::Model(call) = answer(ExecutionId::new(), text, at(1)).happening else {
            panic!("a model answers")
        };
        LlmCall { kind: kind.to_owned(), duration_ms: 0, ..call }
    }

    #[test]
    fn a_summary_has_the_number_of_the_call_before_it() {
        let calls = [
            call("iteration", "one"),
            call("iteration", "two"),
            call(SUMMARY, "first log"),
            call(SUMMARY, "second log"),
            call("iteration", "three"),
        ];
        let mut agents = BTreeMap::new();
        record_execution(&mut agents, "look/A", calls.iter()).unwrap();
        let agents = serde_json::to_value(&agents).unwrap();
        let text = |agent: &str, turn: usize| agents[agent][turn]["chunks"][0]["text"].clone();
        assert_eq!([0, 1, 2].map(|turn| text("look/A", turn)), ["one", "two", "three"]);
        assert_eq!(agents["look/A summary"][0]["error"]["message"], "nothing was recorded here");
        assert_eq!(text("look/A summary", 1), "second log");
        assert_eq!(agents["look/A summary"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn a_call_that_was_given_up_is_not_on_it() {
        let stopped = LlmCall { error_kind: Some(STOPPED.to_owned()), ..call("iteration", "half of") };
        let mut agents = BTreeMap::new();
        record_execution(&mut agents, "look/A", [call("iteration", "one"), stopped].iter()).unwrap();
        assert_eq!(agents["look/A"].len(), 1);
    }

    #[test]
    fn an_agent_is_called_as_the_engine_calls_it() {
        let look = stage("look", WorkStatus::Active, &[]).stage;
        let cases = [
            (Some(look.stage_id), ExecutionKind::Agent, "look/A"),
            (Some(look.stage_id), ExecutionKind::Synthesis, "look/A"),
            (None, ExecutionKind::ExecutiveSummary, "A"),
            (None, ExecutionKind::Chat, "chat 2/A"),
        ];
        for (stage_id, kind, expected) in cases {
            let mut execution = execution("A", kind, WorkStatus::Active);
            execution.identity.stage_id = stage_id;
            execution.identity.agent_index = 2;
            assert_eq!(name_of(&execution, std::slice::from_ref(&look)), expected);
        }
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
