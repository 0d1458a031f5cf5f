//! One block of a reply, put together from its pieces.
//!
//! A block keeps every field it began with, in order and byte for byte; only what arrives in pieces is filled in. So
//! blocks of any kind go back as the vendor wants them, also those that are not known here.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::messages::input;

/// A block that is arriving or has arrived.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// What kind it is.
    pub(super) kind: String,
    /// Its place in the reply, as the vendor counts.
    pub(super) index: Option<u64>,
    /// Whether the vendor has said that nothing more belongs to it.
    pub(super) has_ended: bool,
    fields: Fields,
    /// Text or thinking.
    pub(super) text: String,
    signature: String,
    /// The arguments of a call, as far as they have arrived in pieces.
    input: String,
    pub(super) citations: Vec<Value>,
}

/// What a piece adds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Added {
    Text(String),
    Thinking(String),
    /// Nothing to show.
    Nothing,
}

impl Block {
    /// A block as it begins.
    pub(super) fn begin(index: Option<u64>, start: &RawValue) -> Result<Self, serde_json::Error> {
        let fields: Fields = serde_json::from_str(start.get())?;
        let string = |key| fields.string(key).unwrap_or_default();
        let kind = string("type");
        let text = if kind == "thinking" { string("thinking") } else { string("text") };
        let signature = string("signature");
        let citations =
            fields.value("citations").and_then(|known| known.as_array().cloned()).unwrap_or_default();
        Ok(Self { kind, index, text, signature, citations, fields, ..Self::default() })
    }

    /// What it showed from the beginning.
    pub(super) fn opening(&self) -> Added {
        self.shown(self.text.clone())
    }

    /// Takes in a piece. Kinds that are not known are left out.
    pub(super) fn add(&mut self, delta: &Value) -> Added {
        let piece = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
        match delta.get("type").and_then(Value::as_str).unwrap_or_default() {
            "text_delta" => return self.add_text(piece("text")),
            "thinking_delta" => return self.add_text(piece("thinking")),
            "signature_delta" => self.signature.push_str(piece("signature")),
            "input_json_delta" => self.input.push_str(piece("partial_json")),
            "citations_delta" => self.citations.extend(delta.get("citation").cloned()),
            kind => tracing::debug!(kind, "a piece of a block is not known"),
        }
        Added::Nothing
    }

    /// A string that the block began with.
    pub(super) fn string(&self, key: &str) -> Option<String> {
        self.fields.string(key)
    }

    /// Something that the block began with.
    pub(super) fn value(&self, key: &str) -> Option<Value> {
        self.fields.value(key)
    }

    /// The arguments of a call, as they were written; empty if there are none.
    pub(super) fn arguments(&self) -> String {
        if !self.input.trim().is_empty() {
            return self.input.clone();
        }
        match self.fields.get("input") {
            Some(raw) if !matches!(raw.get(), "{}" | "null") => raw.get().to_owned(),
            Some(_) | None => String::new(),
        }
    }

    /// Whether the arguments are whole; those of a reply that was cut off may not be.
    pub(super) fn has_whole_arguments(&self) -> bool {
        let arguments = self.arguments();
        arguments.is_empty() || serde_json::from_str::<&RawValue>(&arguments).is_ok()
    }

    /// Whether it is thinking, shown or not.
    pub(super) fn is_thinking(&self) -> bool {
        matches!(self.kind.as_str(), "thinking" | "redacted_thinking")
    }

    /// Whether the vendor has signed it.
    pub(super) fn is_signed(&self) -> bool {
        !self.signature.is_empty()
    }

    /// The block as it goes back; nothing if it is broken.
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
        to_raw_value(&fields).ok()
    }

    fn add_text(&mut self, piece: &str) -> Added {
        self.text.push_str(piece);
        self.shown(piece.to_owned())
    }

    fn shown(&self, piece: String) -> Added {
        match self.kind.as_str() {
            _ if piece.is_empty() => Added::Nothing,
            "text" => Added::Text(piece),
            "thinking" => Added::Thinking(piece),
            _ => Added::Nothing,
        }
    }
}

/// The fields of an object, in order and byte for byte.
#[derive(Debug, Clone, Default)]
struct Fields(Vec<(String, Box<RawValue>)>);

impl Fields {
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

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn block(start: &str, deltas: &[Value]) -> Block {
        let mut block =
            Block::begin(Some(0), &serde_json::from_str::<Box<RawValue>>(start).unwrap()).unwrap();
        for delta in deltas {
            block.add(delta);
        }
        block
    }

    fn native(start: &str, deltas: &[Value]) -> String {
        block(start, deltas).native().unwrap().get().to_owned()
    }

    #[test]
    fn pieces_fill_the_block_they_belong_to() {
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
    fn a_block_of_an_unknown_kind_is_kept_byte_for_byte() {
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
        assert!(!block(start, &pieces[..1]).has_whole_arguments());
        assert_eq!(
            native(start, &pieces[..1]),
            r#"{"type":"tool_use","id":"toolu_1","name":"a","input":{"arguments":"{\"n\": 1.0"},"caller":{"type":"direct"}}"#
        );
        assert_eq!(block(start, &[]).arguments(), "");
    }

    #[test]
    fn citations_stay_with_their_text() {
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
