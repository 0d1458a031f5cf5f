//! The spans of an investigation: what a line of the log is about, and what is exported as a trace.
//!
//! `session`, `stage` and `agent` stand in every line that is written while they are open. Calls of models and tools are
//! only exported, with the attributes of OpenTelemetry's conventions for generative AI, which would make lines
//! long: they have a target of their own, so that a log can leave them out.
//! <https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/>

use std::fmt::Display;

use tarsy_config::Config;
use tarsy_config::file::ProviderType;
use tarsy_domain::{ExecutionId, LlmErrorKind, ToolCall, ToolStatus};
use tarsy_llm::Origin;
use tarsy_store::{LlmCall, Session, Stage};
use tracing::field::Empty;
use tracing::{Span, info_span};

/// The target of spans for the log and for traces.
pub const WORK_SPANS: &str = "tarsy::work";
/// The target of spans for traces alone.
pub const CALL_SPANS: &str = "tarsy::call";

/// One turn at a session: a session that was interrupted has several, found by its id.
pub(crate) fn session(session: &Session) -> Span {
    info_span!(target: WORK_SPANS, "session", session.id = %session.session_id, chain.id = session.chain_id)
}

pub(crate) fn stage(stage: &Stage) -> Span {
    info_span!(target: WORK_SPANS, "stage", stage.name = stage.name)
}

pub(crate) fn agent(name: &str, execution_id: ExecutionId) -> Span {
    info_span!(target: WORK_SPANS, "agent", agent.name = name, execution.id = %execution_id)
}

/// A model call that is about to be made.
pub(crate) fn chat(session_id: impl Display, asked: &Origin) -> Span {
    info_span!(
        target: CALL_SPANS,
        "chat",
        otel.name = format!("chat {}", asked.model),
        otel.kind = "client",
        otel.status_code = Empty,
        gen_ai.operation.name = "chat",
        gen_ai.conversation.id = %session_id,
        gen_ai.request.model = asked.model,
        gen_ai.provider.name = Empty,
        gen_ai.response.model = Empty,
        gen_ai.response.finish_reasons = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        tarsy.provider = Empty,
        "error.type" = Empty,
    )
}

/// Ends the span of a model call with what came of it.
pub(crate) fn answered(chat: &Span, config: &Config, call: &LlmCall, tool_calls: &[ToolCall]) {
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

/// A tool call that is about to be made.
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

/// Ends the span of a tool call with how it went.
pub(crate) fn returned(execute_tool: &Span, status: ToolStatus) {
    match status {
        ToolStatus::Ok => {}
        ToolStatus::Error | ToolStatus::TimedOut => {
            execute_tool.record("error.type", status.as_str());
            execute_tool.record("otel.status_code", "ERROR");
        }
    }
}

/// The name that the conventions have for who answers; those they do not know are named by us.
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

/// Why the model stopped, as far as its reply tells: vendors say it in too many ways for the contract of models to keep.
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
    fn the_reason_to_stop_is_told_by_the_reply() {
        let call = ToolCall { id: "1".to_owned(), name: "a.b".to_owned(), arguments: "{}".to_owned() };
        assert_eq!(finish_reason(None, &[call]), "tool_calls");
        assert_eq!(finish_reason(None, &[]), "stop");
        assert_eq!(finish_reason(Some(LlmErrorKind::ContentFiltered), &[]), "content_filter");
        assert_eq!(finish_reason(Some(LlmErrorKind::Timeout), &[]), "error");
    }
}
