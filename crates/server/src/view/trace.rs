//! Response bodies of the trace: recorded model and tool calls.

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

/// The model and tool calls of a session, without their content.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TraceResponse {
    /// The calls, by start time.
    interactions: Vec<TracedCallResponse>,
}

/// A model or tool call, without its content.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum TracedCallResponse {
    /// A model call.
    Llm(LlmCallResponse),
    /// A tool call.
    Mcp(McpCallResponse),
}

/// A model call, without its content.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LlmCallResponse {
    /// Id of the call.
    interaction_id: InteractionId,
    /// The execution that made the call.
    execution_id: ExecutionId,
    /// Step of the execution, from 1.
    step: u64,
    /// Purpose of the call: an iteration, a forced conclusion or a summary.
    kind: LlmCallKind,
    /// Iteration of the agent loop, from 1.
    iteration: u64,
    /// Name of the configured provider.
    provider: String,
    /// Name of the model.
    model: String,
    /// When the call started.
    started_at_us: Timestamp,
    /// Duration of the call.
    duration_ms: u64,
    /// Tokens of the call.
    usage: TokenUsage,
    /// Kind of the failure; null if the call succeeded.
    error_kind: Option<LlmErrorKind>,
    /// Why the call failed; null if it succeeded.
    error_message: Option<String>,
}

/// A tool call, without its content.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct McpCallResponse {
    /// Id of the call.
    interaction_id: InteractionId,
    /// The execution that made the call.
    execution_id: ExecutionId,
    /// Step of the execution, from 1.
    step: u64,
    /// `tool_call` or `tool_list`.
    kind: ToolRunKind,
    /// Id of the MCP server.
    server: String,
    /// Name of the tool on its server; null for `tool_list`.
    tool: Option<String>,
    /// Id that the model gave the call.
    tool_call_id: Option<String>,
    /// When the call started.
    started_at_us: Timestamp,
    /// Duration of the call.
    duration_ms: u64,
    /// Why the call failed; null if it succeeded.
    error_message: Option<String>,
}

/// A model call with its content.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LlmInteractionResponse {
    #[serde(flatten)]
    call: LlmCallResponse,
    /// The messages that were sent.
    conversation: Vec<Message>,
    /// The reply of the model; null if the call failed.
    reply: Option<ModelReply>,
    /// The failure with the partial reply; null if the call succeeded.
    failure: Option<ModelFailure>,
}

/// A tool call with its content.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct McpInteractionResponse {
    #[serde(flatten)]
    call: McpCallResponse,
    /// Arguments as JSON text, exactly as the model wrote them.
    arguments: Option<String>,
    /// The complete result, masked.
    result: Option<String>,
    /// The result that was delivered to the agent; null if it is not delivered yet.
    #[serde(rename = "told")]
    delivered: Option<ToolResult>,
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
    /// Combines a recorded call with the messages of its execution.
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
            delivered: run.delivered,
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
