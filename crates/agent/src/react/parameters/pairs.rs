//! Parses input that is a list of `key: value` and `key=value`, separated by lines or commas.
//!
//! A value is literal up to the position where the next key certainly starts, so it can contain commas,
//! colons and equals signs. One pass. Values nested below a key are parsed by `yaml`; if that fails, they are
//! parsed here, up to a few levels deep.

use serde_json::{Map, Value};

use super::{is_key_character, loose, scalar, yaml};

/// Maximum depth of nested lists that are not valid YAML. Each level scans the same lines again.
const MAX_DEPTH: usize = 4;

/// The separator between a key and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Colon,
    Equals,
}

/// A key at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PairKey<'t> {
    name: &'t str,
    sign: Separator,
    /// Number of bytes before the value.
    length: usize,
}

/// The meaning of a position in a value.
enum ValueEnd<'t> {
    Inside,
    /// The value ends, and a key starts at this offset.
    Next(usize, PairKey<'t>),
    /// The value ends, and no key follows.
    End,
}

/// Parses a list; `None` if the text does not start with a key.
pub(super) fn read(text: &str) -> Option<Map<String, Value>> {
    read_at(text, 0)
}

fn read_at(text: &str, depth: usize) -> Option<Map<String, Value>> {
    let start = text.len() - text.trim_start().len();
    let mut pairs = PairReader { text, indentation: start, depth, try_brackets: true, tried: 0 };
    let mut entries = Map::new();
    let mut next = Some((start, key(&text[start..])?));
    while let Some((at, key)) = next {
        let (value, place) = pairs.value(at + key.length, key.sign);
        entries.insert(key.name.to_owned(), value);
        next = match place {
            ValueEnd::Next(at, key) => Some((at, key)),
            ValueEnd::Inside | ValueEnd::End => None,
        };
    }
    Some(entries)
}

/// Returns whether a text starts with `key:`.
pub(super) fn begins_with_colon_key(text: &str) -> bool {
    first_pair(text).is_some_and(|(sign, _)| sign == Separator::Colon)
}

/// Returns the separator of the key at the start of a text, and the text after it.
pub(super) fn first_pair(text: &str) -> Option<(Separator, &str)> {
    let key = key(text)?;
    Some((key.sign, &text[key.length..]))
}

struct PairReader<'t> {
    text: &'t str,
    /// Maximum indentation of keys: the indentation of the first one.
    indentation: usize,
    /// Nesting depth of this list.
    depth: usize,
    /// Cleared after a value in brackets could not be parsed, because every further attempt could scan the
    /// rest of the text again.
    try_brackets: bool,
    /// End of the last nested block that was tried, so that no block is scanned twice.
    tried: usize,
}

impl<'t> PairReader<'t> {
    /// Parses the value at an offset; also returns what follows it.
    fn value(&mut self, at: usize, sign: Separator) -> (Value, ValueEnd<'t>) {
        let rest = &self.text[at..];
        let start = at + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
        self.nested(start)
            .or_else(|| self.delimited(start, sign))
            .unwrap_or_else(|| self.literal(start, sign))
    }

    /// Parses a value in the lines below its key: a mapping, a list, or a block scalar.
    fn nested(&mut self, start: usize) -> Option<(Value, ValueEnd<'t>)> {
        let mark = text_mark(&self.text[start..]);
        let below = &self.text[start + mark..];
        let leading = below.len() - below.trim_start().len();
        let first = start + mark + below[..leading].rfind('\n')? + 1;
        if first < self.tried {
            return None;
        }
        let end = first + self.block_length(&self.text[first..]);
        self.tried = end;
        let value = if mark > 0 {
            yaml::read_text(&self.text[start..end])
        } else {
            self.structure(&self.text[first..end])
        };
        Some((value?, self.next_key(end)))
    }

    /// Returns the length of the lines that are indented deeper than the keys, or are items.
    fn block_length(&self, text: &str) -> usize {
        let belongs = |line: &&str| {
            let indentation = line.len() - line.trim_start().len();
            let is_item = indentation == self.indentation && is_item(&line[indentation..]);
            line.trim().is_empty() || indentation > self.indentation || is_item
        };
        text.split_inclusive('\n').take_while(belongs).map(str::len).sum()
    }

    fn structure(&self, block: &str) -> Option<Value> {
        yaml::read(block).or_else(|| {
            let is_list = self.depth < MAX_DEPTH && begins_with_colon_key(block.trim_start());
            if is_list { read_at(block, self.depth + 1).map(Value::Object) } else { None }
        })
    }

    /// Parses a value in quotes or brackets, if a value can end after it.
    fn delimited(&mut self, start: usize, sign: Separator) -> Option<(Value, ValueEnd<'t>)> {
        let rest = &self.text[start..];
        let (value, length) = match rest.as_bytes().first()? {
            b'"' | b'\'' => loose::read(rest)?,
            b'`' => {
                let end = 1 + rest[1..].find(['`', '\n'])?;
                (Value::String(rest[1..end].to_owned()), end + 1)
            }
            b'[' | b'{' if self.try_brackets => {
                self.try_brackets = false;
                loose::read(rest)?
            }
            _ => return None,
        };
        let after = &rest[length.min(rest.len())..];
        let end = start + length + (after.len() - after.trim_start_matches([' ', '\t']).len());
        match self.after_complete(end, sign, false) {
            ValueEnd::Inside => None,
            place @ (ValueEnd::Next(..) | ValueEnd::End) => {
                self.try_brackets = true;
                Some((value, place))
            }
        }
    }

    fn literal(&self, start: usize, sign: Separator) -> (Value, ValueEnd<'t>) {
        let mut depth = 0_usize;
        let mut has_equals = false;
        let mut is_first_line = true;
        for (offset, byte) in self.text.as_bytes()[start..].iter().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                b'=' => has_equals = true,
                b'\n' => {}
                b',' if depth == 0 => {}
                _ => continue,
            }
            if !matches!(byte, b'\n' | b',') {
                continue;
            }
            let value = &self.text[start..start + offset];
            let is_word = *byte == b'\n' && std::mem::take(&mut is_first_line) && is_word(value);
            let place = if is_word {
                self.after_complete(start + offset, sign, has_equals)
            } else {
                self.place(start + offset, sign, has_equals)
            };
            match place {
                ValueEnd::Inside => {}
                place @ (ValueEnd::Next(..) | ValueEnd::End) => {
                    return (scalar::typed(value), place);
                }
            }
        }
        (scalar::typed(&self.text[start..]), ValueEnd::End)
    }

    /// Returns the meaning of an offset after a value that is one word, or in quotes or brackets. A sentence
    /// on the next line does not belong to the value.
    fn after_complete(&self, at: usize, sign: Separator, has_equals: bool) -> ValueEnd<'t> {
        match self.place(at, sign, has_equals) {
            ValueEnd::Inside
                if self.text[at..].strip_prefix('\n').is_some_and(|below| self.is_sentence(below)) =>
            {
                self.next_key(at + 1)
            }
            place @ (ValueEnd::Inside | ValueEnd::Next(..) | ValueEnd::End) => place,
        }
    }

    /// Returns whether the first line of a text is a sentence: not deeper than the keys, with a capital
    /// letter, several words and a full stop.
    fn is_sentence(&self, text: &str) -> bool {
        let line = text.lines().next().unwrap_or_default().trim_end();
        let words = line.trim_start();
        line.len() - words.len() <= self.indentation
            && words.starts_with(char::is_uppercase)
            && words.ends_with(['.', '!', '?'])
            && words.split_whitespace().nth(2).is_some()
    }

    /// Returns the meaning of an offset at which a value can end.
    fn place(&self, at: usize, sign: Separator, has_equals: bool) -> ValueEnd<'t> {
        match self.text.as_bytes().get(at) {
            None => ValueEnd::End,
            Some(b',') => self.after_comma(at + 1, sign, has_equals),
            Some(b'\n') => self.after_line(at + 1),
            Some(_) => ValueEnd::Inside,
        }
    }

    /// Returns the meaning of an offset after a comma. `a: b, c=d` has two keys. `labels: app=web,tier=db`
    /// and `labels: app=web, tier=db` have one.
    fn after_comma(&self, at: usize, sign: Separator, has_equals: bool) -> ValueEnd<'t> {
        let rest = &self.text[at..];
        let leading = rest.len() - rest.trim_start().len();
        if leading == rest.len() {
            return ValueEnd::End;
        }
        let Some(key) = key(&rest[leading..]) else { return ValueEnd::Inside };
        let begins = match (sign, key.sign) {
            (_, Separator::Colon) => true,
            (Separator::Colon, Separator::Equals) => leading > 0 && !has_equals,
            (Separator::Equals, Separator::Equals) => leading > 0 || !has_equals,
        };
        if begins { ValueEnd::Next(at + leading, key) } else { ValueEnd::Inside }
    }

    /// Returns the meaning of the start of a line. A line without a key continues the value before it, unless
    /// it is blank or an item.
    fn after_line(&self, start: usize) -> ValueEnd<'t> {
        let line = self.text[start..].split('\n').next().unwrap_or_default();
        if self.key_of_line(line).is_none() && !line.trim().is_empty() && !line.starts_with("- ") {
            return ValueEnd::Inside;
        }
        self.next_key(start)
    }

    /// Finds the next line that starts with a key.
    fn next_key(&self, start: usize) -> ValueEnd<'t> {
        let mut at = start;
        for line in self.text[start..].split_inclusive('\n') {
            if let Some((indentation, key)) = self.key_of_line(line) {
                return ValueEnd::Next(at + indentation, key);
            }
            at += line.len();
        }
        ValueEnd::End
    }

    /// Returns the key at the start of a line, and its offset in the line.
    fn key_of_line(&self, line: &'t str) -> Option<(usize, PairKey<'t>)> {
        let indentation = line.len() - line.trim_start().len();
        let key = key(&line[indentation..]).filter(|_| indentation <= self.indentation)?;
        Some((indentation, key))
    }
}

/// Returns the key at the start of a text. `host:80`, `http://` and `a == b` have none.
fn key(text: &str) -> Option<PairKey<'_>> {
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\'' | '`'));
    let opened = &text[quote.map_or(0, char::len_utf8)..];
    let name = &opened[..opened.find(|c: char| !is_key_character(c)).unwrap_or(opened.len())];
    let closed = match quote {
        Some(quote) => opened[name.len()..].strip_prefix(quote)?,
        None => &opened[name.len()..],
    };
    if !name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@')) {
        return None;
    }
    let after = closed.trim_start_matches([' ', '\t']);
    let (sign, value) = match after.as_bytes().first()? {
        b':' if ends_key(&after[1..]) => (Separator::Colon, &after[1..]),
        b'=' if !after[1..].starts_with(['=', '~']) => (Separator::Equals, &after[1..]),
        _ => return None,
    };
    Some(PairKey { name, sign, length: text.len() - value.len() })
}

fn ends_key(after_colon: &str) -> bool {
    after_colon.is_empty() || after_colon.starts_with([' ', '\t', '\n', '"', '\''])
}

fn is_word(value: &str) -> bool {
    let value = value.trim();
    !value.is_empty() && !value.contains(char::is_whitespace)
}

/// Returns the length of a block scalar indicator such as `|` or `>-`.
fn text_mark(value: &str) -> usize {
    let is_mark = |byte: &u8| matches!(byte, b'|' | b'>' | b'+' | b'-' | b'1'..=b'9');
    if value.starts_with(['|', '>']) { value.bytes().take_while(is_mark).count() } else { 0 }
}

/// Returns whether a line without its indentation is a list item.
pub(super) fn is_item(line: &str) -> bool {
    line.starts_with("- ") || line.trim_end() == "-"
}
