//! Assembles a reply from its chunks.

use futures_util::StreamExt;
use tarsy_domain::{ModelFailure, ModelReply};

use crate::{Chunk, ChunkStream, ModelError, Origin};

/// A reply, complete or still arriving.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assembly {
    /// The reply so far.
    pub reply: ModelReply,
    /// The model of the reply, once it is known.
    pub origin: Option<Origin>,
    /// Models that failed before it.
    pub failed: Vec<(Origin, ModelFailure)>,
}

impl Assembly {
    /// Adds a chunk.
    pub fn add(&mut self, chunk: Chunk) {
        let reply = &mut self.reply;
        match chunk {
            Chunk::From(origin) => {
                self.origin = Some(origin);
                // A failed attempt may have left the state of an empty reply.
                reply.provider_state = None;
            }
            Chunk::Fallback { failed, failure } => self.failed.push((failed, failure)),
            Chunk::Text(text) => reply.text.push_str(&text),
            Chunk::Thinking(thinking) => reply.thinking.push_str(&thinking),
            Chunk::ToolCall(call) => reply.tool_calls.push(call),
            Chunk::CodeExecution(execution) => reply.code_executions.push(execution),
            Chunk::Grounding(grounding) => reply.groundings.push(grounding),
            Chunk::CutOff => reply.cut_off = true,
            Chunk::Usage(usage) => reply.usage = usage,
            Chunk::State(state) => reply.provider_state = Some(state),
        }
    }
}

/// Waits for the complete reply.
pub async fn collect(mut stream: ChunkStream) -> Result<Assembly, ModelError> {
    let mut assembly = Assembly::default();
    while let Some(chunk) = stream.next().await {
        assembly.add(chunk?);
    }
    Ok(assembly)
}
