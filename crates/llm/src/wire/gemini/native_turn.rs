//! The model's turn in Gemini's own form, as it is kept and sent back.
//!
//! A signature belongs to the part it came on, so signed parts and everything that is not plain text stay exactly as
//! they were written. Plain text comes in many fragments and is joined; thought summaries are not needed back.
//! <https://ai.google.dev/gemini-api/docs/thought-signatures>

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::fields::Fields;

/// What of a turn is kept.
#[derive(Debug, Default)]
pub(super) struct Turn {
    parts: Vec<Kept>,
    /// Whether the turn is more than text that anybody could have written.
    has_state: bool,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Kept {
    Text { text: String },
    Native(Box<RawValue>),
}

#[derive(Serialize)]
struct Native<'a> {
    role: &'static str,
    parts: &'a [Kept],
}

impl Turn {
    /// Keeps a part, as far as it is needed back.
    pub(super) fn add(&mut self, raw: &RawValue, part: &Fields) {
        let is_signed = part.raw("thoughtSignature").is_some();
        let text = part.text("text");
        match text {
            Some(text) if part.is_only("text") => self.add_text(&text),
            Some(_) if part.flag("thought") && !is_signed => self.has_state = true,
            Some(_) | None => {
                self.has_state = true;
                self.parts.push(Kept::Native(raw.to_owned()));
            }
        }
    }

    fn add_text(&mut self, more: &str) {
        match self.parts.last_mut() {
            Some(Kept::Text { text }) => text.push_str(more),
            Some(Kept::Native(_)) | None if !more.is_empty() => {
                self.parts.push(Kept::Text { text: more.to_owned() });
            }
            Some(Kept::Native(_)) | None => {}
        }
    }

    /// The whole turn, if keeping it is worth more than its text and calls.
    pub(super) fn native(&self) -> Option<Box<RawValue>> {
        if !self.has_state || self.parts.is_empty() {
            return None;
        }
        to_raw_value(&Native { role: "model", parts: &self.parts }).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native(parts: &[&str]) -> Option<String> {
        let mut turn = Turn::default();
        for part in parts {
            let raw: Box<RawValue> = serde_json::from_str(part).unwrap();
            turn.add(&raw, &Fields::read(part));
        }
        turn.native().map(|native| native.get().to_owned())
    }

    #[test]
    fn fragments_are_joined_but_never_across_a_signature() {
        let signed = r#"{ "text": "c", "thoughtSignature": "s1"  }"#;
        let empty = r#"{"text":"","thoughtSignature":"s2"}"#;
        let parts =
            [r#"{"text":"a"}"#, r#"{"text":"b"}"#, signed, r#"{"text":"d"}"#, r#"{"text":""}"#, empty];
        let expected =
            format!(r#"{{"role":"model","parts":[{{"text":"ab"}},{signed},{{"text":"d"}},{empty}]}}"#);
        assert_eq!(native(&parts), Some(expected));
    }

    #[test]
    fn thoughts_stay_only_if_they_are_signed() {
        let signed = r#"{"text":"hm","thought":true,"thoughtSignature":"s"}"#;
        let parts = [r#"{"text":"so","thought":true}"#, signed, r#"{"text":"a"}"#];
        let expected = format!(r#"{{"role":"model","parts":[{signed},{{"text":"a"}}]}}"#);
        assert_eq!(native(&parts), Some(expected));
    }

    #[test]
    fn what_is_unknown_stays_and_plain_text_needs_no_state() {
        let unknown = r#"{"toolCall":{"id":"1","toolType":"NEW"}}"#;
        assert_eq!(native(&[unknown]), Some(format!(r#"{{"role":"model","parts":[{unknown}]}}"#)));
        assert_eq!(native(&[r#"{"text":"a"}"#, r#"{"text":"b"}"#]), None);
    }
}
