//! Recorded calls of models and tools as they are sent.

use serde::Serialize;
use tarsy_domain::{
    ExecutionId, InteractionId, LlmCallKind, LlmErrorKind, Message, ModelFailure, ModelReply, Timestamp,
    TokenUsage, ToolResult, ToolRunKind,
};
use tarsy_store::{
    Callee, LlmInteraction, LlmResponse, McpInteraction, RecordedMessage, StoreError, TracedCall,
};
use utoipa::ToSchema;

use super::conversation::conversation_as_sent;

/// Every call of a session, without what was said.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TraceResponse {
    /// The calls in the order in which they began.
    interactions: Vec<TracedCallResponse>,
}

/// A call, without what was said.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum TracedCallResponse {
    /// Of a model.
    Llm(LlmCallResponse),
    /// Of a tool.
    Mcp(McpCallResponse),
}

/// A call of a model, without what was said.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LlmCallResponse {
    interaction_id: InteractionId,
    execution_id: ExecutionId,
    /// Its place among the steps of the execution, from 1.
    step: u64,
    /// What it was made for: an iteration, a forced conclusion, a summary.
    kind: LlmCallKind,
    /// The iteration of the loop, from 1.
    iteration: u64,
    provider: String,
    model: String,
    started_at_us: Timestamp,
    duration_ms: u64,
    usage: TokenUsage,
    error_kind: Option<LlmErrorKind>,
    error_message: Option<String>,
}

/// A call of a tool, without what was said.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct McpCallResponse {
    interaction_id: InteractionId,
    execution_id: ExecutionId,
    /// Its place among the steps of the execution, from 1.
    step: u64,
    /// `tool_call` or `tool_list`.
    kind: ToolRunKind,
    server: String,
    tool: Option<String>,
    /// The model's id for the call.
    tool_call_id: Option<String>,
    started_at_us: Timestamp,
    duration_ms: u64,
    error_message: Option<String>,
}

/// A call of a model with everything that was said.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LlmInteractionResponse {
    #[serde(flatten)]
    call: LlmCallResponse,
    /// The conversation as it was sent.
    conversation: Vec<Message>,
    /// What the model answered; null if the call failed.
    reply: Option<ModelReply>,
    /// Why there is no reply, with what had arrived; null if there is one.
    failure: Option<ModelFailure>,
}

/// A call of a tool with everything that was said.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct McpInteractionResponse {
    #[serde(flatten)]
    call: McpCallResponse,
    /// The arguments as JSON text, exactly as the model wrote them.
    arguments: Option<String>,
    /// The full result, masked.
    result: Option<String>,
    /// What the agent was told of it; null if that is not yet known.
    told: Option<ToolResult>,
}

impl From<Vec<TracedCall>> for TraceResponse {
    fn from(calls: Vec<TracedCall>) -> Self {
        Self { interactions: calls.into_iter().map(Into::into).collect() }
    }
}

impl From<TracedCall> for TracedCallResponse {
    fn from(call: TracedCall) -> Self {
        let TracedCall { interaction_id, execution_id, step, started_at, duration_ms, error_message, callee } =
            call;
        let started_at_us = started_at;
        match callee {
            Callee::Model { kind, iteration, provider, model, usage, error_kind } => {
                Self::Llm(LlmCallResponse {
                    interaction_id,
                    execution_id,
                    step,
                    kind,
                    iteration,
                    provider,
                    model,
                    started_at_us,
                    duration_ms,
                    usage,
                    error_kind,
                    error_message,
                })
            }
            Callee::Tool { kind, server, tool, tool_call_id } => Self::Mcp(McpCallResponse {
                interaction_id,
                execution_id,
                step,
                kind,
                server,
                tool,
                tool_call_id,
                started_at_us,
                duration_ms,
                error_message,
            }),
        }
    }
}

impl LlmInteractionResponse {
    /// A recorded call, with the conversation of its execution.
    pub(crate) fn new(
        interaction: LlmInteraction,
        recorded: Vec<RecordedMessage>,
    ) -> Result<Self, StoreError> {
        let LlmInteraction { execution_id, step, call } = interaction;
        let (reply, failure) = match call.response {
            Some(LlmResponse::Reply(reply)) => (Some(reply), None),
            Some(LlmResponse::Failure(failure)) => (None, Some(failure)),
            None => (None, None),
        };
        Ok(Self {
            conversation: conversation_as_sent(call.interaction_id, &call.request, recorded)?,
            reply,
            failure,
            call: LlmCallResponse {
                interaction_id: call.interaction_id,
                execution_id,
                step,
                kind: call.kind,
                iteration: call.iteration,
                provider: call.provider,
                model: call.model,
                started_at_us: call.started_at,
                duration_ms: call.duration_ms,
                usage: call.usage,
                error_kind: call.error_kind,
                error_message: call.error_message,
            },
        })
    }
}

impl From<McpInteraction> for McpInteractionResponse {
    fn from(interaction: McpInteraction) -> Self {
        let McpInteraction { execution_id, step, run } = interaction;
        Self {
            told: run.delivered,
            arguments: run.arguments,
            result: run.result,
            call: McpCallResponse {
                interaction_id: run.interaction_id,
                execution_id,
                step,
                kind: run.kind,
                server: run.server,
                tool: run.tool,
                tool_call_id: run.tool_call_id,
                started_at_us: run.started_at,
                duration_ms: run.duration_ms,
                error_message: run.error_message,
            },
        }
    }
}
