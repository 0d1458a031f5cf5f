//! An item of a reply: a message, some reasoning, a tool call, or something new.
//!
//! It is read for what it says, and kept as the bytes it came in.

use serde_json::Value;
use serde_json::value::RawValue;

/// A complete item.
#[derive(Debug)]
pub(super) struct Item {
    value: Value,
    raw: Box<RawValue>,
}

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    Message,
    Reasoning,
    Call,
    Other,
}

impl Item {
    /// Reads an item.
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

    /// A text field; empty if there is none.
    pub(super) fn text_at(&self, key: &str) -> &str {
        self.value.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// The id by which a call's result is linked.
    pub(super) fn call_id(&self) -> &str {
        let call_id = self.text_at("call_id");
        if call_id.is_empty() { self.text_at("id") } else { call_id }
    }

    /// The text of a message.
    pub(super) fn text(&self) -> String {
        self.parts("content", "text").concat()
    }

    /// What the model said instead of an answer.
    pub(super) fn refusal(&self) -> String {
        self.parts("content", "refusal").concat()
    }

    /// What the reasoning shows: its summary, or itself where the model shows that.
    pub(super) fn thinking(&self) -> String {
        let summary = self.parts("summary", "text").join("\n\n");
        if summary.is_empty() { self.parts("content", "text").join("\n\n") } else { summary }
    }

    /// Whether the token limit cut it.
    pub(super) fn is_cut(&self) -> bool {
        self.text_at("status") == "incomplete"
    }

    /// The item as it goes back, if it can: a cut call cannot, and reasoning only with its content, as the vendor
    /// has stored nothing by which to find it.
    pub(super) fn replay(&self) -> Option<&RawValue> {
        let replayable = match self.kind() {
            ItemKind::Call => !self.is_cut(),
            ItemKind::Reasoning => {
                !self.text_at("encrypted_content").is_empty() || !self.parts("content", "text").is_empty()
            }
            ItemKind::Message | ItemKind::Other => true,
        };
        replayable.then_some(&*self.raw)
    }

    fn parts(&self, list: &str, field: &str) -> Vec<&str> {
        let parts = self.value.get(list).and_then(Value::as_array);
        parts.into_iter().flatten().filter_map(|part| part.get(field)?.as_str()).collect()
    }
}
