//! Finds the recorded call that a timeline entry is about. Pure.
//!
//! Entries have no reference to their call: they are found by execution, kind and time, and tool calls by the
//! id that the model gave them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tarsy_domain::{ExecutionId, LlmCallKind, TimelineEventType};
use tarsy_store::{Callee, TimelineEvent, TracedCall};

/// The recorded calls of a session.
#[derive(Debug, Default)]
pub(super) struct CallDurations {
    /// The calls of each execution, by start time.
    calls: BTreeMap<ExecutionId, Vec<TracedCall>>,
}

/// What produced a timeline entry.
enum EntrySource {
    /// A reply of the model.
    Reply,
    /// A summary of a tool result by the model.
    Summary,
    /// A tool call that starts after the entry.
    NextTool,
    /// A tool call that ended before the entry.
    LastTool,
    /// No call.
    Nothing,
}

impl CallDurations {
    /// Groups calls that are sorted by start time.
    pub(super) fn new(calls: Vec<TracedCall>) -> Self {
        let mut grouped: BTreeMap<ExecutionId, Vec<TracedCall>> = BTreeMap::new();
        for call in calls {
            grouped.entry(call.execution_id).or_default().push(call);
        }
        Self { calls: grouped }
    }

    /// Returns the duration of the call that an entry records.
    pub(super) fn of(&self, event: &TimelineEvent, metadata: &Map<String, Value>) -> Option<u64> {
        let calls = self.calls.get(&event.execution_id?)?;
        let id = metadata.get("tool_call_id").and_then(Value::as_str);
        let is_tool = |call: &&TracedCall| match &call.callee {
            Callee::Tool { tool_call_id, .. } => id.is_none() || tool_call_id.as_deref() == id,
            Callee::Model { .. } => false,
        };
        let is_summary =
            |call: &TracedCall| matches!(call.callee, Callee::Model { kind: LlmCallKind::ToolSummary, .. });
        let is_reply = |call: &&TracedCall| matches!(call.callee, Callee::Model { .. }) && !is_summary(call);
        let has_started = |call: &&TracedCall| call.started_at <= event.completed_at;
        let call = match entry_source(event.entry.event_type) {
            EntrySource::Reply => calls.iter().filter(has_started).rfind(is_reply),
            EntrySource::Summary => calls.iter().filter(has_started).rfind(|call| is_summary(call)),
            // Ids may repeat in an execution, so the time decides.
            EntrySource::NextTool => {
                calls.iter().filter(|call| call.started_at >= event.entry.created_at).find(is_tool)
            }
            EntrySource::LastTool => calls.iter().filter(has_started).rfind(is_tool),
            EntrySource::Nothing => None,
        };
        call.map(|call| call.duration_ms)
    }
}

fn entry_source(event_type: TimelineEventType) -> EntrySource {
    match event_type {
        TimelineEventType::LlmThinking
        | TimelineEventType::LlmResponse
        | TimelineEventType::CodeExecution
        | TimelineEventType::GoogleSearchResult
        | TimelineEventType::UrlContextResult
        | TimelineEventType::FinalAnalysis
        | TimelineEventType::ExecutiveSummary
        | TimelineEventType::Error => EntrySource::Reply,
        TimelineEventType::McpToolSummary => EntrySource::Summary,
        TimelineEventType::ToolCall => EntrySource::NextTool,
        TimelineEventType::ToolResult => EntrySource::LastTool,
        TimelineEventType::ProviderFallback
        | TimelineEventType::UserQuestion
        | TimelineEventType::RoutingDecision
        | TimelineEventType::AlertUpdate
        | TimelineEventType::Warning => EntrySource::Nothing,
    }
}
