//! What is to be written down about a happening: messages for the model, entries for people.
//!
//! Ids and times are not in it; whoever records it adds them.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tarsy_domain::{Message, TimelineEventType, ToolCall, ToolResult};

use super::tool_metadata::{ToolCallMetadata, ToolResultMetadata};

/// What follows from one happening.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// What joins the conversation, in order, in full.
    pub messages: Vec<Arc<Message>>,
    /// What people see of it, in order.
    pub timeline: Vec<TimelineEntry>,
}

/// An entry of the timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineEntry {
    /// What it shows.
    pub event_type: TimelineEventType,
    /// Its text.
    pub content: String,
    /// What else is known about it.
    pub metadata: Map<String, Value>,
}

/// Where a thought was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThoughtSource {
    /// Shown by the model beside its reply.
    Native,
    /// Written in the reply, as ReAct wants it.
    React,
}

impl Record {
    /// The model's reasoning, unless there is none.
    pub(super) fn thought(&mut self, source: ThoughtSource, thought: &str) {
        let source = match source {
            ThoughtSource::Native => "native",
            ThoughtSource::React => "react",
        };
        if !thought.trim().is_empty() {
            self.add(TimelineEventType::LlmThinking, thought, json!({ "source": source }));
        }
    }

    /// Text beside tool calls, unless there is none.
    pub(super) fn response(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.add(TimelineEventType::LlmResponse, text, json!({}));
        }
    }

    /// A tool was asked for.
    pub(super) fn tool_call(&mut self, call: &ToolCall) {
        let metadata = ToolCallMetadata::new(call);
        self.add(TimelineEventType::ToolCall, &format!("{} {}", call.name, call.arguments), json!(metadata));
    }

    /// What a tool answered; `times` says how often it has answered the same to the same.
    pub(super) fn tool_result(&mut self, call: &ToolCall, result: &ToolResult, times: u32) {
        let metadata = ToolResultMetadata::new(call, result, times);
        self.add(TimelineEventType::ToolResult, &result.content, json!(metadata));
    }

    /// An entry with metadata, which is a JSON object.
    pub(super) fn add(&mut self, event_type: TimelineEventType, content: &str, metadata: Value) {
        let metadata = match metadata {
            Value::Object(metadata) => metadata,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Map::new()
            }
        };
        self.timeline.push(TimelineEntry { event_type, content: content.to_owned(), metadata });
    }
}
