//! An output item of a reply: a message, reasoning, a tool call, or an unknown type.
//!
//! An item is kept as the bytes that arrived, and parsed for its content.

use serde_json::Value;
use serde_json::value::RawValue;

/// A complete item.
#[derive(Debug)]
pub(super) struct Item {
    value: Value,
    raw: Box<RawValue>,
}

/// The type of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    Message,
    Reasoning,
    Call,
    Other,
}

impl Item {
    /// Parses an item.
    pub(super) fn new(raw: Box<RawValue>) -> Self {
        let value = serde_json::from_str(raw.get()).unwrap_or(Value::Null);
        Self { value, raw }
    }

    pub(super) fn kind(&self) -> ItemKind {
        match self.text_at("type") {
            "message" => ItemKind::Message,
            "reasoning" => ItemKind::Reasoning,
            "function_call" => ItemKind::Call,
            _ => ItemKind::Other,
        }
    }

    /// Returns a string field, or an empty string.
    pub(super) fn text_at(&self, key: &str) -> &str {
        self.value.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the id that links a call to its result.
    pub(super) fn call_id(&self) -> &str {
        let call_id = self.text_at("call_id");
        if call_id.is_empty() { self.text_at("id") } else { call_id }
    }

    /// Returns the text of a message.
    pub(super) fn text(&self) -> String {
        self.parts("content", "text").concat()
    }

    /// Returns the text of a refusal.
    pub(super) fn refusal(&self) -> String {
        self.parts("content", "refusal").concat()
    }

    /// Returns the summary of the reasoning, or else the reasoning itself.
    pub(super) fn thinking(&self) -> String {
        let summary = self.parts("summary", "text").join("\n\n");
        if summary.is_empty() { self.parts("content", "text").join("\n\n") } else { summary }
    }

    /// Returns whether the token limit truncated the item.
    pub(super) fn is_truncated(&self) -> bool {
        self.text_at("status") == "incomplete"
    }

    /// Returns the item as it is sent back, if it can be: a truncated call cannot, and reasoning only with
    /// its content, because nothing is stored at the vendor.
    pub(super) fn native(&self) -> Option<&RawValue> {
        let can_be_sent_back = match self.kind() {
            ItemKind::Call => !self.is_truncated(),
            ItemKind::Reasoning => {
                !self.text_at("encrypted_content").is_empty() || !self.parts("content", "text").is_empty()
            }
            ItemKind::Message | ItemKind::Other => true,
        };
        can_be_sent_back.then_some(&*self.raw)
    }

    fn parts(&self, list: &str, field: &str) -> Vec<&str> {
        let parts = self.value.get(list).and_then(Value::as_array);
        parts.into_iter().flatten().filter_map(|part| part.get(field)?.as_str()).collect()
    }
}
