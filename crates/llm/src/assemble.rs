//! Puts the chunks of a reply together.

use futures_util::StreamExt;
use tarsy_domain::{ModelFailure, ModelReply};

use crate::{Chunk, ChunkStream, ModelError, Origin};

/// A reply that is still arriving.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assembly {
    /// What has arrived.
    pub reply: ModelReply,
    /// Who answers, once that is known.
    pub origin: Option<Origin>,
    /// Models that were asked before and could not answer.
    pub failed: Vec<(Origin, ModelFailure)>,
}

impl Assembly {
    /// Takes in the next chunk.
    pub fn add(&mut self, chunk: Chunk) {
        let reply = &mut self.reply;
        match chunk {
            Chunk::From(origin) => {
                self.origin = Some(origin);
                // An attempt before this one may have left the state of an empty reply.
                reply.provider_state = None;
            }
            Chunk::Fallback { failed, failure } => self.failed.push((failed, failure)),
            Chunk::Text(text) => reply.text.push_str(&text),
            Chunk::Thinking(thinking) => reply.thinking.push_str(&thinking),
            Chunk::ToolCall(call) => reply.tool_calls.push(call),
            Chunk::CodeExecution(execution) => reply.code_executions.push(execution),
            Chunk::Grounding(grounding) => reply.groundings.push(grounding),
            Chunk::Usage(usage) => reply.usage = usage,
            Chunk::State(state) => reply.provider_state = Some(state),
        }
    }
}

/// Waits for the whole reply.
pub async fn collect(mut stream: ChunkStream) -> Result<Assembly, ModelError> {
    let mut assembly = Assembly::default();
    while let Some(chunk) = stream.next().await {
        assembly.add(chunk?);
    }
    Ok(assembly)
}
