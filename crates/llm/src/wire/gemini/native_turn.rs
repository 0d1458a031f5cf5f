//! A reply in Gemini's own format, as it is recorded and sent back.
//!
//! A signature belongs to its part, so signed parts and everything that is not plain text are kept byte for
//! byte. Plain text arrives in many fragments, which are joined; thought summaries are not sent back.
//! <https://ai.google.dev/gemini-api/docs/thought-signatures>

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::fields::JsonFields;

/// The parts of a reply that are kept.
#[derive(Debug, Default)]
pub(super) struct NativeTurn {
    parts: Vec<KeptPart>,
    /// Whether the reply has more than plain text.
    has_state: bool,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum KeptPart {
    Text { text: String },
    Native(Box<RawValue>),
}

#[derive(Serialize)]
struct NativeContent<'a> {
    role: &'static str,
    parts: &'a [KeptPart],
}

impl NativeTurn {
    /// Adds a part, if it must be sent back.
    pub(super) fn add(&mut self, raw: &RawValue, part: &JsonFields) {
        let is_signed = part.raw("thoughtSignature").is_some();
        let text = part.text("text");
        match text {
            Some(text) if part.is_only("text") => self.add_text(&text),
            Some(_) if part.flag("thought") && !is_signed => self.has_state = true,
            Some(_) | None => {
                self.has_state = true;
                self.parts.push(KeptPart::Native(raw.to_owned()));
            }
        }
    }

    fn add_text(&mut self, more: &str) {
        match self.parts.last_mut() {
            Some(KeptPart::Text { text }) => text.push_str(more),
            Some(KeptPart::Native(_)) | None if !more.is_empty() => {
                self.parts.push(KeptPart::Text { text: more.to_owned() });
            }
            Some(KeptPart::Native(_)) | None => {}
        }
    }

    /// Returns the reply, or `None` if only its text has to be kept.
    pub(super) fn native(&self) -> Option<Box<RawValue>> {
        if !self.has_state || self.parts.is_empty() {
            return None;
        }
        to_raw_value(&NativeContent { role: "model", parts: &self.parts }).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native(parts: &[&str]) -> Option<String> {
        let mut turn = NativeTurn::default();
        for part in parts {
            let raw: Box<RawValue> = serde_json::from_str(part).unwrap();
            turn.add(&raw, &JsonFields::read(part));
        }
        turn.native().map(|native| native.get().to_owned())
    }

    #[test]
    fn joins_fragments_but_never_across_a_signature() {
        let signed = r#"{ "text": "c", "thoughtSignature": "s1"  }"#;
        let empty = r#"{"text":"","thoughtSignature":"s2"}"#;
        let parts =
            [r#"{"text":"a"}"#, r#"{"text":"b"}"#, signed, r#"{"text":"d"}"#, r#"{"text":""}"#, empty];
        let expected =
            format!(r#"{{"role":"model","parts":[{{"text":"ab"}},{signed},{{"text":"d"}},{empty}]}}"#);
        assert_eq!(native(&parts), Some(expected));
    }

    #[test]
    fn keeps_thoughts_only_if_they_are_signed() {
        let signed = r#"{"text":"hm","thought":true,"thoughtSignature":"s"}"#;
        let parts = [r#"{"text":"so","thought":true}"#, signed, r#"{"text":"a"}"#];
        let expected = format!(r#"{{"role":"model","parts":[{signed},{{"text":"a"}}]}}"#);
        assert_eq!(native(&parts), Some(expected));
    }

    #[test]
    fn keeps_unknown_parts_and_no_state_for_plain_text() {
        let unknown = r#"{"toolCall":{"id":"1","toolType":"NEW"}}"#;
        assert_eq!(native(&[unknown]), Some(format!(r#"{{"role":"model","parts":[{unknown}]}}"#)));
        assert_eq!(native(&[r#"{"text":"a"}"#, r#"{"text":"b"}"#]), None);
    }
}
