//! Converts between the chunks of a stream and those of a cassette.

use tarsy_domain::{CassetteChunk, CassetteFailure, CassetteToolCall};

use crate::{Chunk, ModelError};

/// Converts a chunk for recording. Its provider and model are not recorded.
pub(super) fn record_chunk(chunk: &Chunk) -> Option<CassetteChunk> {
    match chunk {
        Chunk::From(_) | Chunk::Fallback { .. } => None,
        Chunk::Text(text) => Some(CassetteChunk::text(text.clone())),
        Chunk::Thinking(thinking) => Some(CassetteChunk::thinking(thinking.clone())),
        Chunk::ToolCall(call) => Some(CassetteChunk::tool_call(CassetteToolCall::readable(call))),
        Chunk::CodeExecution(execution) => Some(CassetteChunk::code_execution(execution.clone())),
        Chunk::Grounding(grounding) => Some(CassetteChunk::grounding(grounding.clone())),
        Chunk::CutOff => Some(CassetteChunk::cut_off()),
        Chunk::Usage(usage) => Some(CassetteChunk::usage(*usage)),
        Chunk::State(state) => Some(CassetteChunk::state(state.clone())),
    }
}

/// Converts a recorded chunk. Ids of tool calls that have none are derived from `position`.
pub(super) fn play_chunk(recorded: &CassetteChunk, position: &str) -> Option<Chunk> {
    let text = recorded.text.clone().map(Chunk::Text);
    text.or_else(|| recorded.thinking.clone().map(Chunk::Thinking))
        .or_else(|| recorded.tool_call.as_ref().map(|call| Chunk::ToolCall(call.to_call(position))))
        .or_else(|| recorded.code_execution.clone().map(Chunk::CodeExecution))
        .or_else(|| recorded.grounding.clone().map(Chunk::Grounding))
        .or_else(|| recorded.cut_off.filter(|cut_off| *cut_off).map(|_| Chunk::CutOff))
        .or_else(|| recorded.usage.map(|usage| Chunk::Usage(usage.into())))
        .or_else(|| recorded.state.clone().map(Chunk::State))
}

/// Converts an error for recording. Text that arrived before it is recorded as chunks.
pub(super) fn record_failure(error: &ModelError, after_ms: u64) -> CassetteFailure {
    CassetteFailure {
        kind: error.failure.kind,
        message: error.failure.message.clone(),
        retry_after_ms: error.failure.retry_after_ms,
        after_ms,
    }
}
