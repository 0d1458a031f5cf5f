//! Parses JSON with deviations: single quotes, `True` and `None`, keys without quotes, trailing commas, line
//! breaks in strings.
//!
//! One pass without backtracking. Unclosed or too deeply nested values are rejected.

use serde_json::{Map, Value};

use super::{is_key_character, scalar};

/// Maximum nesting: deeper than any reasonable input, and shallow enough for any stack.
const MAX_DEPTH: usize = 32;

/// Parses the value at the start of a text; returns it with its length.
pub(super) fn read(text: &str) -> Option<(Value, usize)> {
    let mut reader = LooseJsonReader { text, at: 0 };
    let value = reader.value(0)?;
    Some((value, reader.at))
}

struct LooseJsonReader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> LooseJsonReader<'t> {
    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b'"' | b'\'' => self.string().map(Value::String),
            _ => self.bare().map(scalar::typed),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let mut entries = Map::new();
        self.at += 1;
        while self.peek()? != b'}' {
            let key = self.key()?;
            self.expect(b':')?;
            entries.insert(key, self.value(depth + 1)?);
            if self.peek()? != b'}' {
                self.expect(b',')?;
            }
        }
        self.at += 1;
        Some(Value::Object(entries))
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        self.at += 1;
        while self.peek()? != b']' {
            items.push(self.value(depth + 1)?);
            if self.peek()? != b']' {
                self.expect(b',')?;
            }
        }
        self.at += 1;
        Some(Value::Array(items))
    }

    fn key(&mut self) -> Option<String> {
        if matches!(self.peek()?, b'"' | b'\'') {
            return self.string();
        }
        let rest = &self.text[self.at..];
        let key = &rest[..rest.find(|c: char| !is_key_character(c)).unwrap_or(rest.len())];
        self.at += key.len();
        (!key.is_empty()).then(|| key.to_owned())
    }

    /// Parses a value without quotes. It ends with its line at the latest, and contains no quotes or
    /// brackets.
    fn bare(&mut self) -> Option<&'t str> {
        let rest = &self.text[self.at..];
        let end = rest.find([',', '}', ']', '\n', '{', '[', '"', '\''])?;
        self.at += end;
        let value = rest[..end].trim();
        (!value.is_empty()).then_some(value)
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.text[self.at..].chars().next()?;
        self.at += quote.len_utf8();
        let mut string = String::new();
        loop {
            let rest = &self.text[self.at..];
            let end = rest.find([quote, '\\'])?;
            string.push_str(&rest[..end]);
            self.at += end + 1;
            if rest[end..].starts_with(quote) {
                return Some(string);
            }
            self.escape(&mut string)?;
        }
    }

    /// Parses the character after a backslash. An unknown escape is kept: it can be part of a regular
    /// expression.
    fn escape(&mut self, string: &mut String) -> Option<()> {
        let escaped = self.text[self.at..].chars().next()?;
        self.at += escaped.len_utf8();
        match escaped {
            'n' => string.push('\n'),
            't' => string.push('\t'),
            'r' => string.push('\r'),
            'b' => string.push('\u{8}'),
            'f' => string.push('\u{c}'),
            '"' | '\'' | '\\' | '/' => string.push(escaped),
            'u' => string.push(self.unicode()),
            other => string.extend(['\\', other]),
        }
        Some(())
    }

    /// Parses the digits of `\u`, or of a surrogate pair.
    fn unicode(&mut self) -> char {
        let Some(first) = self.hex() else { return char::REPLACEMENT_CHARACTER };
        let second = || self.text[self.at..].strip_prefix("\\u").and_then(hex);
        let units = match first {
            0xd800..=0xdbff => [Some(first), second()],
            _ => [Some(first), None],
        };
        let decoded = char::decode_utf16(units.into_iter().flatten()).next();
        let character = decoded.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER);
        if character.len_utf16() == 2 {
            self.at += "\\uXXXX".len();
        }
        character
    }

    fn hex(&mut self) -> Option<u16> {
        let unit = hex(&self.text[self.at..])?;
        self.at += 4;
        Some(unit)
    }

    /// Returns the next byte that is not whitespace.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text.as_bytes().get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        let found = self.peek()? == byte;
        self.at += usize::from(found);
        found.then_some(())
    }
}

fn hex(text: &str) -> Option<u16> {
    let digits = text.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_with_deviations_is_parsed() {
        let cases = [
            (
                "{'a': 'it\\'s', \"b\": None, 'c': [True, 1.5,],}",
                json!({"a": "it's", "b": null, "c": [true, 1.5]}),
            ),
            ("{name: web-0, 'url': http://h/?a=b}", json!({"name": "web-0", "url": "http://h/?a=b"})),
            ("{\"sql\": \"select 1\n  from t\"}", json!({"sql": "select 1\n  from t"})),
            (
                r#"{"re": "\d+\.\w", "u": "\u00fc\ud83d\ude00\ud83d", "n": "\n\u12"}"#,
                json!({"re": "\\d+\\.\\w", "u": "ü😀\u{fffd}", "n": "\n\u{fffd}12"}),
            ),
            ("[]", json!([])),
            ("{ }", json!({})),
        ];
        for (text, value) in cases {
            assert_eq!(read(text), Some((value, text.len())), "{text}");
        }
    }

    #[test]
    fn other_texts_are_rejected() {
        let deep = "[".repeat(100_000);
        for text in
            ["{", "{a}", "{a: }", "{a: 1", "{app=\"web\"}", "{{ x }}", "[a [b]]", "'", "\"a\\", "", &deep]
        {
            assert_eq!(read(text), None, "{text:.20}");
        }
    }
}
