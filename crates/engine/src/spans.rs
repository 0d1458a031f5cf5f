//! The tracing spans of an investigation, for log lines and exported traces.
//!
//! `session`, `stage` and `agent` are part of every log line that is written while they are open. Model and
//! tool calls are only exported, with the attributes of OpenTelemetry's conventions for generative AI. These
//! attributes would make log lines long, so the spans have their own target, which a log can filter out.
//! <https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/>

use std::fmt::Display;

use tarsy_config::Config;
use tarsy_config::file::ProviderType;
use tarsy_domain::{ExecutionId, LlmErrorKind, ToolCall, ToolStatus};
use tarsy_llm::Origin;
use tarsy_store::{LlmCall, Session, Stage};
use tracing::field::Empty;
use tracing::{Span, info_span};

/// The target of spans that appear in the log and in traces.
pub const WORK_SPANS: &str = "tarsy::work";
/// The target of spans that appear in traces only.
pub const CALL_SPANS: &str = "tarsy::call";

/// Opens the span of one claim of a session. An interrupted session has several of them with the same id.
pub(crate) fn session(session: &Session) -> Span {
    info_span!(target: WORK_SPANS, "session", session.id = %session.session_id, chain.id = session.chain_id)
}

/// Opens the span of a stage.
pub(crate) fn stage(stage: &Stage) -> Span {
    info_span!(target: WORK_SPANS, "stage", stage.name = stage.name)
}

/// Opens the span of an execution.
pub(crate) fn agent(name: &str, execution_id: ExecutionId) -> Span {
    info_span!(target: WORK_SPANS, "agent", agent.name = name, execution.id = %execution_id)
}

/// Opens the span of a model call.
pub(crate) fn chat(session_id: impl Display, model: &Origin) -> Span {
    info_span!(
        target: CALL_SPANS,
        "chat",
        otel.name = format!("chat {}", model.model),
        otel.kind = "client",
        otel.status_code = Empty,
        gen_ai.operation.name = "chat",
        gen_ai.conversation.id = %session_id,
        gen_ai.request.model = model.model,
        gen_ai.provider.name = Empty,
        gen_ai.response.model = Empty,
        gen_ai.response.finish_reasons = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        tarsy.provider = Empty,
        "error.type" = Empty,
    )
}

/// Adds the outcome of a model call to its span.
pub(crate) fn end_chat(chat: &Span, config: &Config, call: &LlmCall, tool_calls: &[ToolCall]) {
    chat.record("gen_ai.provider.name", vendor(config, &call.provider));
    chat.record("tarsy.provider", call.provider.as_str());
    chat.record("gen_ai.response.model", call.model.as_str());
    chat.record("gen_ai.usage.input_tokens", call.usage.input_tokens);
    chat.record("gen_ai.usage.output_tokens", call.usage.output_tokens);
    chat.record("gen_ai.response.finish_reasons", finish_reason(call.error_kind, tool_calls));
    if let Some(kind) = call.error_kind {
        chat.record("error.type", kind.as_str());
        chat.record("otel.status_code", "ERROR");
    }
}

/// Opens the span of a tool call.
pub(crate) fn execute_tool(call: &ToolCall) -> Span {
    info_span!(
        target: CALL_SPANS,
        "execute_tool",
        otel.name = format!("execute_tool {}", call.name),
        otel.kind = "client",
        otel.status_code = Empty,
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = call.name,
        gen_ai.tool.call.id = call.id,
        "error.type" = Empty,
    )
}

/// Adds the outcome of a tool call to its span.
pub(crate) fn end_execute_tool(execute_tool: &Span, status: ToolStatus) {
    match status {
        ToolStatus::Ok => {}
        ToolStatus::Error | ToolStatus::TimedOut => {
            execute_tool.record("error.type", status.as_str());
            execute_tool.record("otel.status_code", "ERROR");
        }
    }
}

/// Returns the provider name that the conventions define, or our own name if they define none.
fn vendor(config: &Config, provider: &str) -> &'static str {
    match config.providers().get(provider).map(|provider| provider.r#type) {
        Some(ProviderType::Google) => "gcp.gemini",
        Some(ProviderType::Vertexai) => "gcp.vertex_ai",
        Some(ProviderType::Openai | ProviderType::OpenaiCompatible) => "openai",
        Some(ProviderType::Anthropic) => "anthropic",
        Some(ProviderType::Xai) => "x_ai",
        Some(ProviderType::Grpc) => "tarsy.grpc",
        Some(ProviderType::Replay) => "tarsy.replay",
        None => "tarsy.unknown",
    }
}

/// Derives why the model stopped from its reply; the vendors' own reasons are not part of the model
/// interface.
fn finish_reason(error_kind: Option<LlmErrorKind>, tool_calls: &[ToolCall]) -> &'static str {
    match error_kind {
        Some(LlmErrorKind::ContentFiltered) => "content_filter",
        Some(_) => "error",
        None if tool_calls.is_empty() => "stop",
        None => "tool_calls",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derives_the_finish_reason_from_the_reply() {
        let call = ToolCall { id: "1".to_owned(), name: "a.b".to_owned(), arguments: "{}".to_owned() };
        assert_eq!(finish_reason(None, &[call]), "tool_calls");
        assert_eq!(finish_reason(None, &[]), "stop");
        assert_eq!(finish_reason(Some(LlmErrorKind::ContentFiltered), &[]), "content_filter");
        assert_eq!(finish_reason(Some(LlmErrorKind::Timeout), &[]), "error");
    }
}
