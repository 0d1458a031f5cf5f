//! Sample records: typical sessions, executions and steps.

use tarsy_config::ResolvedChain;
use tarsy_domain::{
    ExecutionId, ExecutionKind, InteractionId, IterationStrategy, LlmCallKind, Message, MessageId,
    ModelReply, SessionId, TimelineEventId, TimelineEventType, Timestamp, TokenUsage, ToolResult,
    ToolRunKind, ToolStatus,
};
use tarsy_store::{
    ExecutionOpening, LlmCall, LlmResponse, NewExecution, NewMessage, NewSession, NewTimelineEvent,
    SessionInput, Step, StepPayload, ToolRun,
};

/// Returns a session with two stages that is not inserted yet.
pub fn new_session(alert_id: &str) -> NewSession {
    NewSession {
        session_id: SessionId::new(),
        alert_id: alert_id.to_owned(),
        alert_type: "kubernetes".to_owned(),
        chain_id: "kubernetes-agent-chain".to_owned(),
        stages: vec!["collect".to_owned(), "analyse".to_owned()],
        author: None,
        input: SessionInput {
            alert_data: format!("Pod restarts: alert {alert_id}"),
            runbook: None,
            mcp_selection: None,
            slack_message_fingerprint: None,
            chain_snapshot: "{}".to_owned(),
            masked_values: None,
        },
    }
}

/// Returns a session for an alert with this text and this chain that is not inserted yet.
pub fn alert_for(chain: &ResolvedChain, data: &str) -> NewSession {
    let session_id = SessionId::new();
    NewSession {
        session_id,
        alert_id: session_id.to_string(),
        alert_type: chain.alert_types.first().cloned().unwrap_or_default(),
        chain_id: chain.id.clone(),
        stages: chain.stages.iter().map(|stage| stage.name.clone()).collect(),
        author: None,
        input: SessionInput {
            alert_data: data.to_owned(),
            runbook: None,
            mcp_selection: None,
            slack_message_fingerprint: None,
            chain_snapshot: serde_json::to_string(chain).expect("a chain can be encoded as JSON"),
            masked_values: None,
        },
    }
}

/// Returns an execution of an agent outside any stage.
pub fn execution() -> NewExecution {
    NewExecution {
        execution_id: ExecutionId::new(),
        stage_id: None,
        kind: ExecutionKind::Agent,
        agent_index: 0,
        agent_name: "KubernetesAgent".to_owned(),
        iteration_strategy: IterationStrategy::React,
        llm_provider: "replay".to_owned(),
    }
}

/// Returns an opening without messages.
pub fn opening() -> ExecutionOpening {
    ExecutionOpening {
        setup: "{}".to_owned(),
        messages: Vec::new(),
        notes: Vec::new(),
        current_step: "Thinking".to_owned(),
    }
}

/// Returns a step with the model reply `text`: one message, one timeline entry, 100 input and 20 output
/// tokens.
pub fn model_step(execution_id: ExecutionId, text: &str, at: Timestamp) -> Step {
    let call = LlmCall {
        interaction_id: InteractionId::new(),
        kind: LlmCallKind::Iteration,
        iteration: 1,
        provider: "replay".to_owned(),
        model: "recorded".to_owned(),
        started_at: at,
        duration_ms: 5,
        usage: TokenUsage { input_tokens: 100, output_tokens: 20, thinking_tokens: 5, cached_tokens: 50 },
        request: r#"{"messages":{"through":1}}"#.to_owned(),
        response: Some(LlmResponse::Reply(ModelReply { text: text.to_owned(), ..ModelReply::default() })),
        error_kind: None,
        error_message: None,
    };
    Step {
        execution_id,
        payload: StepPayload::Model(call),
        messages: vec![new_message(Message::assistant(text))],
        timeline: vec![entry(TimelineEventType::LlmThinking, text, at)],
        current_step: Some("Thinking".to_owned()),
        masked_values: None,
    }
}

/// Returns a step with the tool result `text`: one message, two timeline entries.
pub fn tool_step(execution_id: ExecutionId, text: &str, at: Timestamp) -> Step {
    let delivered = ToolResult {
        shortened: false,
        call_id: "call-1".to_owned(),
        content: text.to_owned(),
        status: ToolStatus::Ok,
        usage: TokenUsage::default(),
    };
    let run = ToolRun {
        interaction_id: InteractionId::new(),
        kind: ToolRunKind::ToolCall,
        server: "kubernetes-server".to_owned(),
        tool: Some("pods_list".to_owned()),
        tool_call_id: Some("call-1".to_owned()),
        started_at: at,
        duration_ms: 12,
        arguments: Some(r#"{"namespace":"shop"}"#.to_owned()),
        result: Some(text.to_owned()),
        error_message: None,
        delivered: Some(delivered),
    };
    Step {
        execution_id,
        payload: StepPayload::Tool(run),
        messages: vec![new_message(Message::user(text))],
        timeline: vec![
            entry(TimelineEventType::ToolCall, "kubernetes-server.pods_list", at),
            entry(TimelineEventType::ToolResult, text, at),
        ],
        current_step: None,
        masked_values: None,
    }
}

fn new_message(message: Message) -> NewMessage {
    NewMessage { message_id: MessageId::new(), message }
}

fn entry(event_type: TimelineEventType, content: &str, at: Timestamp) -> NewTimelineEvent {
    NewTimelineEvent {
        timeline_event_id: TimelineEventId::new(),
        stage_id: None,
        event_type,
        content: content.to_owned(),
        metadata: "{}".to_owned(),
        created_at: at,
    }
}
