//! One content block of a reply, assembled from its deltas.
//!
//! A block keeps every field of its start event, in order and byte for byte; only fields that arrive as
//! deltas are filled in. So blocks of any type can be sent back unchanged, unknown types too.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::messages::input;

/// A content block, complete or still arriving.
#[derive(Debug, Default)]
pub(super) struct ReplyBlock {
    /// The block type.
    pub(super) kind: String,
    /// The vendor's index of the block.
    pub(super) index: Option<u64>,
    /// Whether the stop event has arrived.
    pub(super) has_ended: bool,
    fields: RawFields,
    /// Text or thinking.
    pub(super) text: String,
    signature: String,
    /// The arguments of a tool call, from deltas.
    input: String,
    pub(super) citations: Vec<Value>,
    /// Fields that deltas of other block types set.
    changed: Map<String, Value>,
}

/// Visible content that a delta adds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BlockDelta {
    Text(String),
    Thinking(String),
    /// Nothing visible.
    Nothing,
}

impl ReplyBlock {
    /// Parses the start event of a block.
    pub(super) fn begin(index: Option<u64>, start: &RawValue) -> Result<Self, serde_json::Error> {
        let fields: RawFields = serde_json::from_str(start.get())?;
        let string = |key| fields.string(key).unwrap_or_default();
        let kind = string("type");
        let text = if kind == "thinking" { string("thinking") } else { string("text") };
        let signature = string("signature");
        let citations =
            fields.value("citations").and_then(|known| known.as_array().cloned()).unwrap_or_default();
        Ok(Self { kind, index, text, signature, citations, fields, ..Self::default() })
    }

    /// Returns the visible content of the start event.
    pub(super) fn opening(&self) -> BlockDelta {
        self.visible(self.text.clone())
    }

    /// Applies a delta. An unknown type is ignored, unless it is named after the type of the block.
    pub(super) fn add(&mut self, delta: &Value) -> BlockDelta {
        let piece = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
        match delta.get("type").and_then(Value::as_str).unwrap_or_default() {
            "text_delta" => return self.add_text(piece("text")),
            "thinking_delta" => return self.add_text(piece("thinking")),
            "signature_delta" => self.signature.push_str(piece("signature")),
            "input_json_delta" => self.input.push_str(piece("partial_json")),
            "citations_delta" => self.citations.extend(delta.get("citation").cloned()),
            // Its content is a summary of the conversation, which is sent back but is no text of the reply.
            "compaction_delta" => self.add_compaction(delta),
            kind if kind.strip_suffix("_delta") == Some(&self.kind) => self.add_fields(delta),
            kind => tracing::debug!(kind, "unknown delta type"),
        }
        BlockDelta::Nothing
    }

    /// Returns a string field of the start event.
    pub(super) fn string(&self, key: &str) -> Option<String> {
        self.fields.string(key)
    }

    /// Returns a field of the start event.
    pub(super) fn value(&self, key: &str) -> Option<Value> {
        self.fields.value(key)
    }

    /// Returns the arguments of a tool call as the model wrote them; empty if there are none.
    pub(super) fn arguments(&self) -> String {
        if !self.input.trim().is_empty() {
            return self.input.clone();
        }
        match self.fields.get("input") {
            Some(raw) if !matches!(raw.get(), "{}" | "null") => raw.get().to_owned(),
            Some(_) | None => String::new(),
        }
    }

    /// Returns whether the arguments are valid JSON; those of a truncated reply may not be.
    pub(super) fn has_complete_arguments(&self) -> bool {
        let arguments = self.arguments();
        arguments.is_empty() || serde_json::from_str::<&RawValue>(&arguments).is_ok()
    }

    /// Returns whether this is a thinking block, redacted or not.
    pub(super) fn is_thinking(&self) -> bool {
        matches!(self.kind.as_str(), "thinking" | "redacted_thinking")
    }

    /// Returns whether the block has a signature.
    pub(super) fn is_signed(&self) -> bool {
        !self.signature.is_empty()
    }

    /// Returns the block as it is sent back, or `None` if it cannot be serialized.
    pub(super) fn native(&self) -> Option<Box<RawValue>> {
        let mut fields = self.fields.clone();
        match self.kind.as_str() {
            "text" => fields.set("text", to_raw_value(&self.text).ok()?),
            "thinking" => fields.set("thinking", to_raw_value(&self.text).ok()?),
            _ => {}
        }
        if !self.signature.is_empty() {
            fields.set("signature", to_raw_value(&self.signature).ok()?);
        }
        if !self.citations.is_empty() {
            fields.set("citations", to_raw_value(&self.citations).ok()?);
        }
        if !self.input.trim().is_empty() {
            fields.set("input", input(&self.input));
        }
        for (key, value) in &self.changed {
            fields.set(key, to_raw_value(value).ok()?);
        }
        to_raw_value(&fields).ok()
    }

    /// Applies the delta of a compaction: its text arrives in pieces, its encrypted form as a whole.
    /// <https://platform.claude.com/docs/en/build-with-claude/compaction>
    fn add_compaction(&mut self, delta: &Value) {
        self.append("content", delta.get("content"));
        if let Some(encrypted) = delta.get("encrypted_content").filter(|encrypted| !encrypted.is_null()) {
            self.changed.insert("encrypted_content".to_owned(), encrypted.clone());
        }
    }

    /// Applies a delta of an unknown type as the known ones work: texts are appended, other values fill
    /// fields that have none.
    fn add_fields(&mut self, delta: &Value) {
        for (key, value) in delta.as_object().into_iter().flatten().filter(|(key, _)| *key != "type") {
            match value {
                Value::String(_) => self.append(key, Some(value)),
                Value::Null => {}
                Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                    if self.current(key).is_none() {
                        self.changed.insert(key.clone(), value.clone());
                    }
                }
            }
        }
    }

    fn append(&mut self, key: &str, piece: Option<&Value>) {
        let Some(piece) = piece.and_then(Value::as_str) else { return };
        let known = self.current(key).and_then(|value| value.as_str().map(str::to_owned));
        self.changed.insert(key.to_owned(), Value::String(known.unwrap_or_default() + piece));
    }

    /// Returns the value of a field so far, if it has one.
    fn current(&self, key: &str) -> Option<Value> {
        let value = self.changed.get(key).cloned().or_else(|| self.fields.value(key));
        value.filter(|value| !value.is_null())
    }

    fn add_text(&mut self, delta: &str) -> BlockDelta {
        self.text.push_str(delta);
        self.visible(delta.to_owned())
    }

    fn visible(&self, text: String) -> BlockDelta {
        match self.kind.as_str() {
            _ if text.is_empty() => BlockDelta::Nothing,
            "text" => BlockDelta::Text(text),
            "thinking" => BlockDelta::Thinking(text),
            _ => BlockDelta::Nothing,
        }
    }
}

/// The fields of an object, in order and byte for byte.
#[derive(Debug, Clone, Default)]
struct RawFields(Vec<(String, Box<RawValue>)>);

impl RawFields {
    fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| &**value)
    }

    fn value(&self, key: &str) -> Option<Value> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }

    fn string(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }

    fn set(&mut self, key: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, known)) => *known = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }
}

impl Serialize for RawFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de> Deserialize<'de> for RawFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;

        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = RawFields;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawFields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(RawFields(fields))
            }
        }

        deserializer.deserialize_map(FieldsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn block(start: &str, deltas: &[Value]) -> ReplyBlock {
        let mut block =
            ReplyBlock::begin(Some(0), &serde_json::from_str::<Box<RawValue>>(start).unwrap()).unwrap();
        for delta in deltas {
            block.add(delta);
        }
        block
    }

    fn native(start: &str, deltas: &[Value]) -> String {
        block(start, deltas).native().unwrap().get().to_owned()
    }

    #[test]
    fn deltas_fill_their_block() {
        let thinking = native(
            r#"{"type":"thinking","thinking":"","signature":""}"#,
            &[
                json!({ "type": "thinking_delta", "thinking": "Is it " }),
                json!({ "type": "thinking_delta", "thinking": "DNS?" }),
                json!({ "type": "signature_delta", "signature": "ab" }),
                json!({ "type": "signature_delta", "signature": "+/c=" }),
            ],
        );
        assert_eq!(thinking, r#"{"type":"thinking","thinking":"Is it DNS?","signature":"ab+/c="}"#);
    }

    #[test]
    fn an_unknown_block_type_is_kept_byte_for_byte() {
        let start =
            r#"{"type":"oracle_result","number":1e400,"big":123456789012345678901234567890,"text":null}"#;
        assert_eq!(native(start, &[json!({ "type": "new_delta", "x": 1 })]), start);
    }

    #[test]
    fn arguments_are_kept_as_the_model_wrote_them() {
        let start = r#"{"type":"tool_use","id":"toolu_1","name":"a","input":{},"caller":{"type":"direct"}}"#;
        let pieces = [
            json!({ "type": "input_json_delta", "partial_json": "{\"n\": 1.0" }),
            json!({ "type": "input_json_delta", "partial_json": "0}" }),
        ];
        assert_eq!(block(start, &pieces).arguments(), r#"{"n": 1.00}"#);
        assert_eq!(
            native(start, &pieces),
            r#"{"type":"tool_use","id":"toolu_1","name":"a","input":{"n": 1.00},"caller":{"type":"direct"}}"#
        );
        assert!(!block(start, &pieces[..1]).has_complete_arguments());
        assert_eq!(
            native(start, &pieces[..1]),
            r#"{"type":"tool_use","id":"toolu_1","name":"a","input":{"arguments":"{\"n\": 1.0"},"caller":{"type":"direct"}}"#
        );
        assert_eq!(block(start, &[]).arguments(), "");
    }

    #[test]
    fn citations_are_kept_with_their_text() {
        let text = native(
            r#"{"citations":[],"type":"text","text":""}"#,
            &[
                json!({ "type": "citations_delta", "citation": { "type": "web_search_result_location", "url": "https://example.com/" } }),
                json!({ "type": "text_delta", "text": "It is known." }),
            ],
        );
        assert_eq!(
            text,
            r#"{"citations":[{"type":"web_search_result_location","url":"https://example.com/"}],"type":"text","text":"It is known."}"#
        );
    }
}
