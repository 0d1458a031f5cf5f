//! The arguments of a tool call while they arrive.
//!
//! Completeness is tracked incrementally: each byte is read once. The arguments are not validated.

/// The arguments received so far.
#[derive(Debug, Default)]
pub(super) struct PartialArguments {
    text: String,
    /// Number of open objects and lists.
    depth: usize,
    position: JsonPosition,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum JsonPosition {
    /// Before the value.
    #[default]
    Blank,
    Value,
    Quoted,
    /// After a backslash in a string.
    Escaped,
    /// After the value.
    Closed,
    /// In any other value, whose end is unknown.
    Bare,
}

impl PartialArguments {
    pub(super) fn push(&mut self, more: &str) {
        self.text.push_str(more);
        for byte in more.bytes() {
            self.position = self.step(byte);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns whether the value is complete. An empty text and `null` are complete: the tool may have no
    /// parameters.
    pub(super) fn is_complete(&self) -> bool {
        matches!(self.position, JsonPosition::Blank | JsonPosition::Closed) || self.text == "null"
    }

    /// Returns the text, or an empty object if there is none.
    pub(super) fn finish(self) -> String {
        if self.position == JsonPosition::Blank { "{}".to_owned() } else { self.text }
    }

    fn step(&mut self, byte: u8) -> JsonPosition {
        match (self.position, byte) {
            (JsonPosition::Bare, _) => JsonPosition::Bare,
            (JsonPosition::Quoted, b'\\') => JsonPosition::Escaped,
            (JsonPosition::Quoted, b'"') => self.after_value(),
            (JsonPosition::Quoted | JsonPosition::Escaped, _) => JsonPosition::Quoted,
            (position, b' ' | b'\t' | b'\n' | b'\r') => position,
            (JsonPosition::Closed, _) => JsonPosition::Bare,
            (JsonPosition::Blank | JsonPosition::Value, b'"') => JsonPosition::Quoted,
            (JsonPosition::Blank | JsonPosition::Value, b'{' | b'[') => {
                self.depth += 1;
                JsonPosition::Value
            }
            (JsonPosition::Value, b'}' | b']') => {
                self.depth -= 1;
                self.after_value()
            }
            (JsonPosition::Value, _) => JsonPosition::Value,
            (JsonPosition::Blank, _) => JsonPosition::Bare,
        }
    }

    fn after_value(&self) -> JsonPosition {
        if self.depth == 0 { JsonPosition::Closed } else { JsonPosition::Value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(text: &str) -> PartialArguments {
        let mut arguments = PartialArguments::default();
        arguments.push(text);
        arguments
    }

    #[test]
    fn arguments_are_complete_when_all_brackets_are_closed() {
        for (text, is_complete) in [
            ("", true),
            (" \n", true),
            ("{}", true),
            ("{} \n", true),
            (" {\"a\": [1, {\"b\": \"}\"}]}", true),
            ("\"text\"", true),
            ("null", true),
            ("{", false),
            ("{\"a\": {}", false),
            ("{\"a\": \"}", false),
            ("{\"a\": \"\\\"}", false),
            ("{\"a\": \"\\\\\"}", true),
            ("{}{}", false),
            ("kubectl get pods", false),
            ("}", false),
        ] {
            assert_eq!(arguments(text).is_complete(), is_complete, "{text}");
        }
    }

    #[test]
    fn fragment_boundaries_do_not_matter() {
        let text = " {\"a\\\"é\": [\"}\", 1], \"b\": {}} ";
        let mut grown = PartialArguments::default();
        for (end, character) in text.char_indices() {
            assert_eq!(grown.is_complete(), arguments(&text[..end]).is_complete(), "{}", &text[..end]);
            grown.push(character.encode_utf8(&mut [0; 4]));
        }
        assert_eq!((grown.is_complete(), grown.finish().as_str()), (true, text));
    }
}
