//! Parses JSON with deviations: single quotes, `True` and `None`, keys without quotes, trailing commas, comments,
//! line breaks in strings; on request also JSON that is not closed or lacks a comma.
//!
//! One pass without backtracking. Too deeply nested values are rejected.

use serde_json::{Map, Value};

use super::fault::JsonFault;
use super::{is_key_character, scalar};

/// Maximum nesting: deeper than any reasonable input, and shallow enough for any stack.
const MAX_DEPTH: usize = 32;

/// How the reader treats objects, lists and strings that are not closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unclosed {
    Rejected,
    /// They are closed at the end of the text, or before a line that cannot belong to them.
    Closed,
}

/// The result of a part of the reader; the error is what was expected.
type LooseResult<T> = Result<T, &'static str>;

/// Parses the value at the start of a text; returns it with its length.
pub(super) fn read(text: &str) -> Option<(Value, usize)> {
    let mut reader = LooseJsonReader { text, at: 0, unclosed: Unclosed::Rejected };
    let value = reader.value(0).ok()?;
    Some((value, reader.at))
}

/// Parses the value at the start of a text, and closes what is not closed.
pub(super) fn repair(text: &str) -> Result<(Value, usize), JsonFault> {
    let mut reader = LooseJsonReader { text, at: 0, unclosed: Unclosed::Closed };
    match reader.value(0) {
        Ok(value) => Ok((value, reader.at)),
        Err(expected) => Err(JsonFault::new(text, reader.at, expected)),
    }
}

struct LooseJsonReader<'t> {
    text: &'t str,
    at: usize,
    unclosed: Unclosed,
}

impl<'t> LooseJsonReader<'t> {
    fn value(&mut self, depth: usize) -> LooseResult<Value> {
        if depth > MAX_DEPTH {
            return Err("less nesting");
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"' | b'\'') => self.string().map(Value::String),
            Some(_) => self.bare().map(scalar::typed),
            None => Err("a value"),
        }
    }

    fn object(&mut self, depth: usize) -> LooseResult<Value> {
        let mut entries = Map::new();
        self.at += 1;
        while self.more(b'}')? {
            let key = self.key()?;
            if self.peek() != Some(b':') {
                return Err("`:` after a key");
            }
            self.at += 1;
            entries.insert(key, self.value(depth + 1)?);
            if !self.separator(b'}')? {
                return Ok(Value::Object(entries));
            }
        }
        Ok(Value::Object(entries))
    }

    fn list(&mut self, depth: usize) -> LooseResult<Value> {
        let mut items = Vec::new();
        self.at += 1;
        while self.more(b']')? {
            items.push(self.value(depth + 1)?);
            if !self.separator(b']')? {
                return Ok(Value::Array(items));
            }
        }
        Ok(Value::Array(items))
    }

    /// Returns whether an entry follows; consumes the closing bracket if none does.
    fn more(&mut self, close: u8) -> LooseResult<bool> {
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            Some(_) => Ok(true),
            None if self.unclosed == Unclosed::Closed => Ok(false),
            None => Err("a closing bracket"),
        }
    }

    /// Consumes the comma after an entry; returns `false` if the object or list ends without a closing bracket.
    fn separator(&mut self, close: u8) -> LooseResult<bool> {
        let end = self.at;
        let next = self.peek();
        match next {
            Some(b',') => {
                self.at += 1;
                return Ok(true);
            }
            Some(byte) if byte == close => return Ok(true),
            Some(_) | None if self.unclosed == Unclosed::Rejected => return Err("`,` or a closing bracket"),
            // A comma is missing.
            Some(b'"' | b'\'') => return Ok(true),
            Some(b'}') if close == b']' => return Ok(false),
            Some(_) | None => {}
        }
        let is_end = next.is_none_or(|byte| byte == b'`') || self.text[end..self.at].contains('\n');
        if !is_end {
            return Err("`,` or a closing bracket");
        }
        self.at = end;
        Ok(false)
    }

    fn key(&mut self) -> LooseResult<String> {
        if matches!(self.peek(), Some(b'"' | b'\'')) {
            return self.string();
        }
        let rest = &self.text[self.at..];
        let key = &rest[..rest.find(|c: char| !is_key_character(c)).unwrap_or(rest.len())];
        self.at += key.len();
        if key.is_empty() { Err("a key in quotes") } else { Ok(key.to_owned()) }
    }

    /// Parses a value without quotes. It ends with its line or at a comment, and contains no quotes or
    /// brackets.
    fn bare(&mut self) -> LooseResult<&'t str> {
        let rest = &self.text[self.at..];
        let end = rest.find([',', '}', ']', '\n', '{', '[', '"', '\'']);
        let value = &rest[..end.unwrap_or(rest.len())];
        let comment = [" //", " # ", " /*"].iter().filter_map(|start| value.find(start)).min();
        let value = comment.map_or(value, |start| &value[..start]);
        let may_end = self.unclosed == Unclosed::Closed && !value.trim().contains(char::is_whitespace);
        if end.is_none() && !may_end {
            return Err("a value in quotes");
        }
        self.at += value.len();
        if value.trim().is_empty() { Err("a value") } else { Ok(value.trim()) }
    }

    fn string(&mut self) -> LooseResult<String> {
        let start = self.at;
        let quote = if self.text[start..].starts_with('"') { '"' } else { '\'' };
        self.at += quote.len_utf8();
        let mut string = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(end) = rest.find([quote, '\\']) else {
                string.push_str(rest);
                return self.unclosed_string(start, &string);
            };
            string.push_str(&rest[..end]);
            self.at += end + 1;
            if rest[end..].starts_with(quote) {
                return Ok(string);
            }
            if self.escape(&mut string).is_none() {
                return self.unclosed_string(start, &string);
            }
        }
    }

    /// Closes a string at the end of the text, before the brackets that follow it. A string of several lines is
    /// rejected: what belongs to it is unknown.
    fn unclosed_string(&mut self, start: usize, string: &str) -> LooseResult<String> {
        if self.unclosed == Unclosed::Rejected || string.trim_end().contains('\n') {
            self.at = start;
            return Err("a closing quote");
        }
        self.at = self.text.len();
        let text = string.trim_end();
        let text = if text.contains('{') { text } else { text.trim_end_matches('}').trim_end() };
        Ok(text.to_owned())
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

    /// Skips whitespace and comments; returns the next byte.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let rest = self.text[self.at..].trim_start();
            self.at = self.text.len() - rest.len();
            match comment(rest) {
                0 => return rest.as_bytes().first().copied(),
                length => self.at += length,
            }
        }
    }
}

/// Returns the length of the comment at the start of a text. `#` needs a blank after it, because `#name` is a
/// value.
fn comment(text: &str) -> usize {
    if let Some(inside) = text.strip_prefix("/*") {
        return inside.find("*/").map_or(text.len(), |end| end + 4);
    }
    let is_comment = ["//", "# ", "#\t", "#\n"].iter().any(|start| text.starts_with(start));
    if is_comment { text.find('\n').unwrap_or(text.len()) } else { 0 }
}

fn hex(text: &str) -> Option<u16> {
    let digits = text.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests;
