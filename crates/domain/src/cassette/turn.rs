//! One recorded model call.

use serde::{Deserialize, Serialize};

use super::chunk::CassetteChunk;
use super::failure::CassetteFailure;

/// One model call: the chunks of the reply, and the failure that ended it if it failed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CassetteTurn {
    /// The chunks of the reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chunks: Vec<CassetteChunk>,
    /// The failure that ended the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CassetteFailure>,
}

impl CassetteTurn {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.chunks.is_empty() && self.error.is_none() {
            return Err("it has neither `chunks` nor `error`".to_owned());
        }
        let invalid = (1..).zip(&self.chunks).find(|(_, chunk)| chunk.content_count() != 1);
        invalid.map_or(Ok(()), |(number, chunk): (u32, _)| {
            Err(format!(
                "chunk {number} has {} of text, thinking, tool_call, code_execution, grounding, usage and state; \
                 it must have exactly one",
                chunk.content_count()
            ))
        })
    }
}
