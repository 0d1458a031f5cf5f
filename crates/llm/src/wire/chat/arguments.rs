//! The arguments of a tool call as they grow.
//!
//! Whether they are whole is known at any time without reading them again: each byte is looked at once. Whether they
//! are valid JSON is not asked here.

/// The arguments so far.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    text: String,
    /// Objects and lists that are open.
    depth: usize,
    place: Place,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the value.
    #[default]
    Blank,
    Value,
    Quoted,
    /// Behind a backslash in quotes.
    Escaped,
    /// Behind the value.
    Closed,
    /// In what is no object, list or string; it has no end of its own.
    Bare,
}

impl Arguments {
    pub(super) fn push(&mut self, more: &str) {
        self.text.push_str(more);
        for byte in more.bytes() {
            self.place = self.step(byte);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether nothing is missing. A tool without parameters may have none, or `null`.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.place, Place::Blank | Place::Closed) || self.text == "null"
    }

    /// The whole text; an empty object if there is none.
    pub(super) fn finish(self) -> String {
        if self.place == Place::Blank { "{}".to_owned() } else { self.text }
    }

    fn step(&mut self, byte: u8) -> Place {
        match (self.place, byte) {
            (Place::Bare, _) => Place::Bare,
            (Place::Quoted, b'\\') => Place::Escaped,
            (Place::Quoted, b'"') => self.after_value(),
            (Place::Quoted | Place::Escaped, _) => Place::Quoted,
            (place, b' ' | b'\t' | b'\n' | b'\r') => place,
            (Place::Closed, _) => Place::Bare,
            (Place::Blank | Place::Value, b'"') => Place::Quoted,
            (Place::Blank | Place::Value, b'{' | b'[') => {
                self.depth += 1;
                Place::Value
            }
            (Place::Value, b'}' | b']') => {
                self.depth -= 1;
                self.after_value()
            }
            (Place::Value, _) => Place::Value,
            (Place::Blank, _) => Place::Bare,
        }
    }

    fn after_value(&self) -> Place {
        if self.depth == 0 { Place::Closed } else { Place::Value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(text: &str) -> Arguments {
        let mut arguments = Arguments::default();
        arguments.push(text);
        arguments
    }

    #[test]
    fn arguments_are_whole_when_what_they_opened_is_closed() {
        for (text, is_whole) in [
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
            assert_eq!(arguments(text).is_whole(), is_whole, "{text}");
        }
    }

    #[test]
    fn cuts_change_nothing() {
        let text = " {\"a\\\"é\": [\"}\", 1], \"b\": {}} ";
        let mut grown = Arguments::default();
        for (end, character) in text.char_indices() {
            assert_eq!(grown.is_whole(), arguments(&text[..end]).is_whole(), "{}", &text[..end]);
            grown.push(character.encode_utf8(&mut [0; 4]));
        }
        assert_eq!((grown.is_whole(), grown.finish().as_str()), (true, text));
    }
}
