//! Builders for the steps of a script.

use std::num::NonZeroU32;
use std::sync::Arc;

use serde_json::json;
use tarsy_agent::{AtLimit, Happened, Limits, RunRules, Setup};
use tarsy_domain::{
    IterationStrategy, Message, ModelFailure, ModelFailureKind, ModelReply, PromptProfile, TimelineEventType,
    TokenUsage, ToolCall, ToolDefinition, ToolResult, ToolStatus,
};

/// Returns a setup with a short opening and two tools.
pub(crate) fn setup(strategy: IterationStrategy) -> Setup {
    Setup {
        strategy,
        prompt_profile: PromptProfile::Full,
        opening: vec![Message::system("You look into alerts."), Message::user("The shop is slow. Why?")],
        conclusion_request: "No more tools. Give your best analysis now.".to_owned(),
        conclusion_event: TimelineEventType::FinalAnalysis,
        tools: vec![tool("k8s.pods"), tool("k8s.logs")],
        limits: Limits {
            max_iterations: NonZeroU32::new(10).unwrap(),
            at_limit: AtLimit::Conclude,
            token_budget: None,
            context_window: None,
        },
        result_reader: None,
        rules: RunRules {
            max_failed_calls: NonZeroU32::new(5),
            request_tool_call: false,
            max_turns_without_news: NonZeroU32::new(4),
        },
    }
}

/// Returns a setup with an iteration limit.
pub(crate) fn limited(strategy: IterationStrategy, max_iterations: u32) -> Setup {
    let mut setup = setup(strategy);
    setup.limits.max_iterations = NonZeroU32::new(max_iterations).unwrap();
    setup
}

pub(crate) fn tool(name: &str) -> Arc<ToolDefinition> {
    Arc::new(ToolDefinition {
        name: name.to_owned(),
        description: "Reads the cluster.".to_owned(),
        input_schema: json!({ "type": "object", "properties": { "namespace": { "type": "string" } } }),
    })
}

/// Returns a reply that was cut off at the output limit.
pub(crate) fn says_cut_off(text: &str) -> Happened {
    Happened::Replied(ModelReply { cut_off: true, ..reply(text) })
}

/// Returns a reply of the model with a text.
pub(crate) fn says(text: &str) -> Happened {
    Happened::Replied(reply(text))
}

pub(crate) fn reply(text: &str) -> ModelReply {
    let usage = TokenUsage { input_tokens: 100, output_tokens: 20, ..TokenUsage::default() };
    ModelReply { text: text.to_owned(), usage, ..ModelReply::default() }
}

/// Returns a reply that calls bound tools, each given as id, name and arguments.
pub(crate) fn calls(text: &str, thinking: &str, calls: &[(&str, &str, &str)]) -> Happened {
    let tool_calls = calls.iter().map(|(id, name, arguments)| ToolCall {
        id: (*id).to_owned(),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    });
    Happened::Replied(ModelReply {
        thinking: thinking.to_owned(),
        tool_calls: tool_calls.collect(),
        provider_state: Some(r#"{"signature":"c2ln"}"#.to_owned()),
        ..reply(text)
    })
}

pub(crate) fn fails(kind: ModelFailureKind, message: &str) -> Happened {
    Happened::ModelFailed(ModelFailure {
        retry_after_ms: None,
        kind,
        message: message.to_owned(),
        partial_text: String::new(),
        usage: TokenUsage::default(),
    })
}

pub(crate) fn times_out() -> Happened {
    fails(ModelFailureKind::Timeout, "no first chunk within 120 s")
}

pub(crate) fn returns(call_id: &str, content: &str) -> Happened {
    tool_result(call_id, content, ToolStatus::Ok)
}

/// Returns a result that was shortened.
pub(crate) fn returns_shortened(call_id: &str, content: &str) -> Happened {
    let mut happened = returns(call_id, content);
    if let Happened::ToolReturned(result) = &mut happened {
        result.shortened = true;
    }
    happened
}

pub(crate) fn tool_result(call_id: &str, content: &str, status: ToolStatus) -> Happened {
    let (call_id, content) = (call_id.to_owned(), content.to_owned());
    Happened::ToolReturned(ToolResult {
        shortened: false,
        call_id,
        content,
        status,
        usage: TokenUsage::default(),
    })
}
