//! What is persisted about one step: messages for the model, timeline entries for people.
//!
//! It contains no ids and no times; the recorder adds them.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tarsy_domain::{Message, ModelReply, TimelineEventType, ToolCall, ToolResult};

use super::tool_metadata::{ToolCallMetadata, ToolResultMetadata};
use super::vendor_tools::{VendorToolUse, vendor_tool_uses};

/// The messages and timeline entries of one step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// Messages that are added to the conversation, in order and in full.
    pub messages: Vec<Arc<Message>>,
    /// Timeline entries, in order.
    pub timeline: Vec<TimelineEntry>,
}

/// A timeline entry.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineEntry {
    /// Type of the entry.
    pub event_type: TimelineEventType,
    /// Text of the entry.
    pub content: String,
    /// Further properties, as a JSON object.
    pub metadata: Map<String, Value>,
}

/// The source of a thought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThoughtSource {
    /// The thinking of the model, separate from its reply.
    Native,
    /// The `Thought:` section of a ReAct reply.
    React,
}

impl Record {
    /// Adds the reasoning of the model, unless it is empty.
    pub(super) fn thought(&mut self, source: ThoughtSource, thought: &str) {
        let source = match source {
            ThoughtSource::Native => "native",
            ThoughtSource::React => "react",
        };
        if !thought.trim().is_empty() {
            self.add(TimelineEventType::LlmThinking, thought, json!({ "source": source }));
        }
    }

    /// Adds the text of a reply with tool calls, unless it is empty.
    pub(super) fn response(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.add(TimelineEventType::LlmResponse, text, json!({}));
        }
    }

    /// Adds what the vendor did for a reply: code that it ran, and web pages that it searched or read.
    pub(super) fn vendor_tools(&mut self, reply: &ModelReply) {
        for VendorToolUse { event_type, content, metadata } in vendor_tool_uses(reply) {
            self.add(event_type, &content, metadata);
        }
    }

    /// Adds a tool call.
    pub(super) fn tool_call(&mut self, call: &ToolCall) {
        let metadata = ToolCallMetadata::new(call);
        self.add(TimelineEventType::ToolCall, &format!("{} {}", call.name, call.arguments), json!(metadata));
    }

    /// Adds a tool result; `times` is how often in succession the same call had the same result.
    pub(super) fn tool_result(&mut self, call: &ToolCall, result: &ToolResult, times: u32) {
        let metadata = ToolResultMetadata::new(call, result, times);
        self.add(TimelineEventType::ToolResult, &result.content, json!(metadata));
    }

    /// Adds an entry with metadata, which must be a JSON object.
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
