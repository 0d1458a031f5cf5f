//! Model and tool calls in the form in which they are recorded.

use std::time::Duration;

use tarsy_domain::{
    InteractionId, LlmCallKind, LlmErrorKind, ModelFailure, ModelReply, Timestamp, ToolCall, ToolName,
    ToolRunKind,
};
use tarsy_llm::Origin;
use tarsy_store::{LlmCall, LlmResponse, ToolRun};

use crate::stop::StopCause;

/// A model call that ended, successfully or not.
pub(super) struct EndedModelCall {
    pub(super) kind: LlmCallKind,
    pub(super) iteration: u32,
    /// The model that replied or failed last.
    pub(super) origin: Origin,
    pub(super) started_at: Timestamp,
    pub(super) duration: Duration,
    /// The request, as JSON text.
    pub(super) request: String,
    pub(super) end: ModelCallEnd,
}

/// How a model call ended.
pub(super) enum ModelCallEnd {
    Reply(ModelReply),
    Failure(ModelFailure),
    /// The work was stopped while the call was in flight; this part of the reply had been received.
    Stopped(StopCause, ModelReply),
}

impl EndedModelCall {
    pub(super) fn record(self, interaction_id: InteractionId) -> LlmCall {
        let (usage, response, error) = match self.end {
            ModelCallEnd::Reply(reply) => (reply.usage, LlmResponse::Reply(reply), None),
            ModelCallEnd::Failure(failure) => {
                let error = (LlmErrorKind::from(failure.kind), failure.message.clone());
                (failure.usage, LlmResponse::Failure(failure), Some(error))
            }
            ModelCallEnd::Stopped(cause, partial) => {
                let error = (LlmErrorKind::Stopped, cause.message().to_owned());
                (partial.usage, LlmResponse::Reply(partial), Some(error))
            }
        };
        let (error_kind, error_message) = error.unzip();
        LlmCall {
            interaction_id,
            kind: self.kind,
            iteration: u64::from(self.iteration),
            provider: self.origin.provider,
            model: self.origin.model,
            started_at: self.started_at,
            duration_ms: millis(self.duration),
            usage,
            request: self.request,
            response: Some(response),
            error_kind,
            error_message,
        }
    }
}

/// Returns the record of a tool call without its result.
pub(super) fn tool_run(call: &ToolCall, interaction_id: InteractionId, started_at: Timestamp) -> ToolRun {
    let (server, tool) = ToolName::parse(&call.name).into_parts();
    ToolRun {
        interaction_id,
        kind: ToolRunKind::ToolCall,
        server: server.to_owned(),
        tool: Some(tool.to_owned()),
        tool_call_id: Some(call.id.clone()),
        started_at,
        duration_ms: 0,
        arguments: Some(call.arguments.clone()),
        result: None,
        error_message: None,
        delivered: None,
    }
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
