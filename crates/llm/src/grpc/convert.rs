//! Conversion between the messages of the protocol and our types.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::to_raw_value;
use tarsy_domain::{
    CodeExecution, Grounding, GroundingSource, GroundingSupport, Message, ModelFailure, ModelFailureKind,
    Role, TokenUsage, ToolCall, ToolDefinition,
};

use super::contract::generate_response::Content;
use super::contract::{
    CodeExecutionDelta, ConversationMessage, CutOff, ErrorInfo, FallbackInfo, GenerateResponse,
    GroundingChunkInfo, GroundingDelta, OriginInfo, StateDelta, TextDelta, ThinkingDelta, ToolCallDelta,
    UsageInfo,
};
use super::contract::{GroundingSupport as WireSupport, ToolCall as WireCall, ToolDefinition as WireTool};
use crate::state::ProviderState;
use crate::{Chunk, ModelError, Origin};

/// The error code for a failure that the service has retried without success.
const MAX_RETRIES: &str = "max_retries";
/// The error code for a reply that broke off.
const PARTIAL_STREAM: &str = "partial_stream_error";

/// The wire name of recorded state of a service.
const WIRE: &str = "grpc";

/// Converts a message for the service of `origin`.
pub(super) fn message_out(message: &Message, origin: &Origin) -> ConversationMessage {
    ConversationMessage {
        role: message.role.as_str().to_owned(),
        content: message.content.clone(),
        tool_calls: message.tool_calls.iter().map(call_out).collect(),
        tool_call_id: message.tool_call_id.clone().unwrap_or_default(),
        tool_name: message.tool_name.clone().unwrap_or_default(),
        provider_state: state_out(message, origin).unwrap_or_default(),
    }
}

/// Converts a received message; the error describes what is invalid.
pub(super) fn message_in(message: ConversationMessage) -> Result<Arc<Message>, String> {
    Ok(Arc::new(Message {
        role: message.role.parse::<Role>().map_err(|error| error.to_string())?,
        content: message.content,
        tool_calls: message.tool_calls.into_iter().map(call_in).collect(),
        tool_call_id: non_empty(message.tool_call_id),
        tool_name: non_empty(message.tool_name),
        provider_state: non_empty(message.provider_state),
    }))
}

/// Converts a tool.
pub(super) fn tool_out(tool: &ToolDefinition) -> WireTool {
    WireTool {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters_schema: tool.input_schema.to_string(),
    }
}

/// Converts a received tool; the error describes what is invalid.
pub(super) fn tool_in(tool: WireTool) -> Result<ToolDefinition, String> {
    let schema = if tool.parameters_schema.is_empty() { "{}" } else { &tool.parameters_schema };
    let input_schema = serde_json::from_str(schema)
        .map_err(|error| format!("the parameters_schema of tool `{}` is not JSON: {error}", tool.name))?;
    Ok(ToolDefinition { name: tool.name, description: tool.description, input_schema })
}

/// Converts a part of a reply.
pub(super) fn chunk_out(chunk: Chunk) -> GenerateResponse {
    let content = match chunk {
        Chunk::From(origin) => Content::Origin(origin_out(origin)),
        Chunk::Fallback { failed, failure } => Content::Fallback(FallbackInfo {
            failed: Some(origin_out(failed)),
            error: Some(failure_out(&failure, true)),
        }),
        Chunk::Text(content) => Content::Text(TextDelta { content }),
        Chunk::Thinking(content) => Content::Thinking(ThinkingDelta { content }),
        Chunk::ToolCall(call) => {
            Content::ToolCall(ToolCallDelta { call_id: call.id, name: call.name, arguments: call.arguments })
        }
        Chunk::CodeExecution(CodeExecution { code, result }) => {
            Content::CodeExecution(CodeExecutionDelta { code, result })
        }
        Chunk::Grounding(grounding) => Content::Grounding(grounding_out(grounding)),
        Chunk::CutOff => Content::CutOff(CutOff {}),
        Chunk::Usage(usage) => Content::Usage(usage_out(usage)),
        Chunk::State(content) => Content::State(StateDelta { content }),
    };
    GenerateResponse { content: Some(content), is_final: false }
}

/// Converts a part of a reply of the service of `origin`: a chunk, an error, or `None` if it is incomplete.
pub(super) fn content_in(content: Content, origin: &Origin) -> Option<Result<Chunk, ModelError>> {
    Some(Ok(match content {
        Content::Text(TextDelta { content }) => Chunk::Text(content),
        Content::Thinking(ThinkingDelta { content }) => Chunk::Thinking(content),
        Content::ToolCall(call) => {
            Chunk::ToolCall(ToolCall { id: call.call_id, name: call.name, arguments: call.arguments })
        }
        Content::Usage(usage) => Chunk::Usage(usage_in(&usage)),
        Content::Error(error) => return Some(Err(error_in(error))),
        Content::CodeExecution(CodeExecutionDelta { code, result }) => {
            Chunk::CodeExecution(CodeExecution { code, result })
        }
        Content::Grounding(grounding) => Chunk::Grounding(grounding_in(grounding)),
        Content::State(StateDelta { content }) => Chunk::State(state_in(&content, origin)?),
        Content::CutOff(CutOff {}) => Chunk::CutOff,
        Content::Origin(origin) => Chunk::From(origin_in(origin)),
        Content::Fallback(FallbackInfo { failed, error }) => {
            Chunk::Fallback { failed: origin_in(failed?), failure: error_in(error?).failure }
        }
    }))
}

/// Converts an error. It is retryable if the client may repeat the request: no part of the reply was sent, and
/// the service itself has not retried it.
pub(super) fn error_out(error: &ModelError) -> ErrorInfo {
    let info = failure_out(&error.failure, error.exhausted);
    let retryable = error.is_transient() && info.code != PARTIAL_STREAM;
    ErrorInfo { retryable, ..info }
}

/// Converts a failure that is not retried.
fn failure_out(failure: &ModelFailure, exhausted: bool) -> ErrorInfo {
    let has_started = !failure.partial_text.is_empty();
    let code = match failure.kind {
        ModelFailureKind::Credentials => "credentials",
        ModelFailureKind::InvalidRequest | ModelFailureKind::ContextTooLong => "invalid_request",
        ModelFailureKind::RateLimit
        | ModelFailureKind::Overloaded
        | ModelFailureKind::Timeout
        | ModelFailureKind::Network
        | ModelFailureKind::EmptyReply
            if has_started =>
        {
            PARTIAL_STREAM
        }
        ModelFailureKind::RateLimit
        | ModelFailureKind::Overloaded
        | ModelFailureKind::Timeout
        | ModelFailureKind::Network
        | ModelFailureKind::EmptyReply
            if exhausted =>
        {
            MAX_RETRIES
        }
        ModelFailureKind::RateLimit
        | ModelFailureKind::Overloaded
        | ModelFailureKind::Timeout
        | ModelFailureKind::Network
        | ModelFailureKind::EmptyReply
        | ModelFailureKind::ContentFiltered
        | ModelFailureKind::Repetition
        | ModelFailureKind::ProviderBug => "provider_error",
    };
    ErrorInfo {
        message: failure.message.clone(),
        code: code.to_owned(),
        retryable: false,
        kind: failure.kind.as_str().to_owned(),
        retry_after_ms: failure.retry_after_ms.unwrap_or_default(),
    }
}

/// Converts a received error: by our own kind if it has one, else by the code of the protocol. An error that is
/// not retryable is not retried here either, whatever its kind is.
fn error_in(error: ErrorInfo) -> ModelError {
    let kind = error.kind.parse().unwrap_or(match error.code.as_str() {
        "credentials" => ModelFailureKind::Credentials,
        "invalid_request" | "invalid_backend" => ModelFailureKind::InvalidRequest,
        PARTIAL_STREAM => ModelFailureKind::Network,
        MAX_RETRIES => ModelFailureKind::Overloaded,
        _ if error.retryable => ModelFailureKind::Overloaded,
        _ => ModelFailureKind::ProviderBug,
    });
    let retry_after = (error.retry_after_ms > 0).then(|| Duration::from_millis(error.retry_after_ms));
    let exhausted = !error.retryable || error.code == MAX_RETRIES;
    ModelError::new(kind, error.message).retry_after(retry_after).exhausted(exhausted)
}

/// Returns the state that the service itself sent earlier, unchanged. State of other providers is never sent:
/// it can contain conversations with them.
fn state_out(message: &Message, origin: &Origin) -> Option<String> {
    serde_json::from_str(ProviderState::unpack(message, WIRE, origin)?.get()).ok()
}

/// Packs the state of a service, which may be any text, with its origin.
fn state_in(content: &str, origin: &Origin) -> Option<String> {
    ProviderState::pack(WIRE, origin, to_raw_value(content).ok()?)
}

fn call_out(call: &ToolCall) -> WireCall {
    WireCall { id: call.id.clone(), name: call.name.clone(), arguments: call.arguments.clone() }
}

fn call_in(call: WireCall) -> ToolCall {
    ToolCall { id: call.id, name: call.name, arguments: call.arguments }
}

fn origin_out(origin: Origin) -> OriginInfo {
    OriginInfo { provider: origin.provider, model: origin.model }
}

fn origin_in(origin: OriginInfo) -> Origin {
    Origin { provider: origin.provider, model: origin.model }
}

fn usage_out(usage: TokenUsage) -> UsageInfo {
    UsageInfo {
        input_tokens: count_out(usage.input_tokens),
        output_tokens: count_out(usage.output_tokens),
        total_tokens: count_out(usage.total_tokens()),
        thinking_tokens: count_out(usage.thinking_tokens),
        cached_tokens: count_out(usage.cached_tokens),
    }
}

fn usage_in(usage: &UsageInfo) -> TokenUsage {
    TokenUsage {
        input_tokens: count_in(usage.input_tokens),
        output_tokens: count_in(usage.output_tokens),
        thinking_tokens: count_in(usage.thinking_tokens),
        cached_tokens: count_in(usage.cached_tokens),
    }
}

fn count_out(tokens: u64) -> i32 {
    i32::try_from(tokens).unwrap_or(i32::MAX)
}

fn count_in(tokens: i32) -> u64 {
    u64::try_from(tokens).unwrap_or(0)
}

fn grounding_out(grounding: Grounding) -> GroundingDelta {
    let index_out = |index: u32| i32::try_from(index).unwrap_or(i32::MAX);
    GroundingDelta {
        web_search_queries: grounding.queries,
        grounding_chunks: grounding
            .sources
            .into_iter()
            .map(|GroundingSource { uri, title }| GroundingChunkInfo { uri, title })
            .collect(),
        grounding_supports: grounding
            .supports
            .into_iter()
            .map(|support| WireSupport {
                start_index: index_out(support.start_index),
                end_index: index_out(support.end_index),
                text: support.text,
                grounding_chunk_indices: support.source_indices.into_iter().map(index_out).collect(),
            })
            .collect(),
        search_entry_point_html: grounding.search_entry_point_html,
    }
}

fn grounding_in(grounding: GroundingDelta) -> Grounding {
    let index_in = |index: i32| u32::try_from(index).unwrap_or(0);
    Grounding {
        queries: grounding.web_search_queries,
        sources: grounding
            .grounding_chunks
            .into_iter()
            .map(|GroundingChunkInfo { uri, title }| GroundingSource { uri, title })
            .collect(),
        supports: grounding
            .grounding_supports
            .into_iter()
            .map(|support| GroundingSupport {
                start_index: index_in(support.start_index),
                end_index: index_in(support.end_index),
                text: support.text,
                source_indices: support.grounding_chunk_indices.into_iter().map(index_in).collect(),
            })
            .collect(),
        search_entry_point_html: grounding.search_entry_point_html,
    }
}

fn non_empty(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}
