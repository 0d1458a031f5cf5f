//! Finds the value of a name: after a colon, an equals sign or a blank, in another field, or between tags.

use super::{listed, markup};
use crate::bytes::{
    Class, contains_ignoring_case, line_start, line_within, skip_blanks, starts_with_ignoring_case,
};
use crate::quote::Quote;

/// The position of a value, before its extent is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValuePosition {
    pub(super) at: usize,
    pub(super) style: PairStyle,
    /// Whether there is a blank between the separator and the value.
    pub(super) is_spaced: bool,
    /// Quotation marks around the name.
    pub(super) quote: Option<Quote>,
    /// The byte before the name: a quotation mark that does not close after the name closes after the value.
    pub(super) before: Option<u8>,
    /// Indentation of the name, if it is the first thing on its line.
    pub(super) indentation: Option<usize>,
}

/// How a value is attached to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairStyle {
    /// `name: value` on a separate line.
    Line,
    /// `name: value` within a line.
    Colon,
    /// `name=value` and similar.
    Assigned,
    /// `?name=value`
    Parameter,
    /// `--name value`
    Flag,
    /// `<name>value</name>`
    Element,
    /// `name: "name", value: "value"`
    Listed,
    /// `the name is value`
    Prose,
    /// `name    value`, `| name | value |`
    Column,
    /// `name:` with the value on the next line.
    Below,
    /// `call("name", "value")`
    Call,
    /// `name 'value'`
    Quoted,
    /// `name value`
    Adjacent,
}

/// Maximum distance to the start of the line, in bytes.
const MAX_LINE: usize = 160;

/// Returns the position of the value of a name.
pub(super) fn find(text: &[u8], start: usize, end: usize) -> Option<ValuePosition> {
    let before = start.checked_sub(1).and_then(|index| text.get(index)).copied();
    let closing =
        Quote::at(text, end).filter(|(_, after)| before.is_some() && before == text.get(after - 1).copied());
    let quote = closing.map(|(quote, _)| quote);
    let mut at = closing.map_or(end, |(_, after)| after);
    while matches!(text.get(at), Some(b'*' | b']')) && (quote.is_some() || text.get(at) == Some(&b'*')) {
        at += 1;
    }
    let blank = skip_number(text, skip_blanks(text, at));
    // A quotation mark that does not close after the name starts a separate text.
    let begins_text = quote.is_none() && matches!(before, Some(b'"' | b'\''));
    let indentation = if begins_text { Some(0) } else { indentation(text, start) };
    let mut position =
        ValuePosition { at: blank, style: PairStyle::Assigned, is_spaced: false, quote, before, indentation };
    let (style, after) = separator(text, start, at, blank, &position)?;
    position.style = style;
    position.at = if style == PairStyle::Listed { after } else { skip_blanks(text, after) };
    position.is_spaced = position.at > after;
    if style == PairStyle::Line
        && let Some(next) = next_line(text, &position)
    {
        position.style = PairStyle::Below;
        position.at = next;
    }
    Some(position)
}

/// Skips a number that belongs to a name, as in `Unseal Key 1: …`.
fn skip_number(text: &[u8], at: usize) -> usize {
    let end = Class::Digit.end_within(text, at, 4);
    if end > at && text.get(end) == Some(&b':') { end } else { at }
}

/// Returns the style of the separator after the name, and the offset after it.
fn separator(
    text: &[u8],
    start: usize,
    at: usize,
    blank: usize,
    position: &ValuePosition,
) -> Option<(PairStyle, usize)> {
    let next = |offset: usize| text.get(blank + offset).copied();
    match next(0)? {
        // LDIF has two colons before Base64.
        b':' if next(1) == Some(b':') && next(2) == Some(b' ') => Some((PairStyle::Assigned, blank + 2)),
        b':' if matches!(next(1), Some(b':')) || (next(1) == Some(b'/') && next(2) == Some(b'/')) => None,
        // A part of a name like `arn:aws:secretsmanager:…:secret:…`.
        b':' if position.before == Some(b':') => None,
        b':' if next(1) == Some(b'=') => Some((PairStyle::Assigned, blank + 2)),
        b':' => {
            let after = skip_stars(text, blank + 1);
            if let Some(value) = declared(text, after) {
                return Some((PairStyle::Assigned, value));
            }
            let is_line = position.indentation.is_some()
                && matches!(text.get(after), None | Some(b' ' | b'\t' | b'\r' | b'\n'));
            Some((if is_line { PairStyle::Line } else { PairStyle::Colon }, after))
        }
        b'=' if next(1) == Some(b'>') => Some((PairStyle::Assigned, skip_type(text, blank + 2))),
        b'=' if matches!(next(1), Some(b'=' | b'~'))
            && !next(2).is_some_and(|byte| Class::Base64.has(byte)) =>
        {
            None
        }
        b'=' if matches!(position.before, Some(b'?' | b'&')) => Some((PairStyle::Parameter, blank + 1)),
        b'=' => Some((PairStyle::Assigned, blank + 1)),
        b'>' if listed::is_named(text, start) => Some((PairStyle::Element, blank + 1)),
        _ if markup::is_tag(text, start) => Some((PairStyle::Element, markup::content(text, at)?)),
        b'|' if blank > at && is_table(text, start) => Some((PairStyle::Column, blank + 1)),
        b',' if is_call(text, start) && position.quote.is_some() => Some((PairStyle::Call, blank + 1)),
        // MySQL's `PASSWORD('…')`.
        b'(' if blank == at && matches!(next(1), Some(b'\'' | b'"')) => text
            .get(start..at)
            .is_some_and(|name| name.eq_ignore_ascii_case(b"password"))
            .then_some((PairStyle::Call, blank + 1)),
        b'\'' | b'"' if blank > at && position.quote.is_none() && is_set(text, start) => {
            Some((PairStyle::Flag, blank))
        }
        b'\'' | b'"' if blank > at && position.quote.is_none() => Some((PairStyle::Quoted, blank)),
        b'`' if blank > at && position.quote.is_none() => Some((PairStyle::Prose, blank)),
        _ if listed::is_named(text, start) => listed::after(text, at)
            .or_else(|| listed::before(text, start))
            .map(|value| (PairStyle::Listed, value)),
        _ => spaced(text, start, at, blank, position),
    }
}

fn skip_stars(text: &[u8], mut at: usize) -> usize {
    while text.get(at) == Some(&b'*') && at < text.len() {
        at += 1;
    }
    at
}

/// Returns the value after a type: `name: str = "value"`, `name string = "value"`.
fn declared(text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..text.len().min(from + 48))?;
    let sign = rest.iter().position(|byte| matches!(byte, b'=' | b'\n' | b'"'))?;
    let is_type = |kind: &[u8]| {
        let is_part = |byte: &u8| {
            byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'&' | b'<' | b'>' | b'\'' | b'?' | b'.')
        };
        let names = ["str", "char", "byte", "text", "any"];
        kind.iter().all(is_part) && names.iter().any(|name| contains_ignoring_case(kind, name))
    };
    let value = skip_blanks(text, from + sign + 1);
    let is_declared = rest.get(sign) == Some(&b'=') && is_type(rest.get(..sign)?);
    (is_declared && matches!(text.get(value), Some(b'"' | b'\''))).then_some(value)
}

/// Skips `string(8) `, which PHP prints before a value.
fn skip_type(text: &[u8], from: usize) -> usize {
    let at = skip_blanks(text, from);
    let Some(rest) = text.get(at..).and_then(|rest| rest.strip_prefix(b"string(")) else { return from };
    let digits = rest.iter().take(12).take_while(|byte| byte.is_ascii_digit()).count();
    if rest.get(digits) == Some(&b')') { at + b"string()".len() + digits } else { from }
}

/// Returns a single word on the next line that is indented further than the name.
fn next_line(text: &[u8], position: &ValuePosition) -> Option<usize> {
    let end = position.at + usize::from(text.get(position.at) == Some(&b'\r'));
    let start = skip_blanks(text, end + 1);
    let word = line_within(text, start, 256).trim_ascii_end();
    let is_word = !word.is_empty() && !word.iter().any(u8::is_ascii_whitespace) && word.last() != Some(&b':');
    (text.get(end) == Some(&b'\n') && start - end - 1 > position.indentation? && is_word).then_some(start)
}

/// Returns the style of a value that only blanks separate from its name.
fn spaced(
    text: &[u8],
    start: usize,
    at: usize,
    blank: usize,
    position: &ValuePosition,
) -> Option<(PairStyle, usize)> {
    let name = text.get(start..at)?;
    let rest = text.get(blank..)?;
    if name.starts_with(b"-") {
        let next = if position.quote.is_some() && rest.starts_with(b",") {
            skip_blanks(text, blank + 1)
        } else {
            blank
        };
        let next = skip_continuation(text, next);
        let is_value = next > at && text.get(next).is_some_and(|byte| !matches!(byte, b'-' | b'\n' | b'\r'));
        return is_value.then_some((PairStyle::Flag, next));
    }
    if blank == at {
        return None;
    }
    let settings = ["requirepass", "masterauth", "bindpw", "rootpw"];
    if settings.iter().any(|word| name.eq_ignore_ascii_case(word.as_bytes()))
        || is_netrc(text, start)
        || is_set(text, start)
    {
        return Some((PairStyle::Flag, blank));
    }
    if let Some(value) = declared(text, blank) {
        return Some((PairStyle::Assigned, value));
    }
    for word in ["is ", "was ", "is: ", "was: ", "is now ", "set to ", "to "] {
        if starts_with_ignoring_case(rest, word) {
            return Some((PairStyle::Prose, blank + word.len()));
        }
    }
    if let Some(value) = owned(text, blank) {
        return Some((PairStyle::Prose, value));
    }
    let is_column = position.indentation.is_some() && (blank - at >= 2 || text.get(at) == Some(&b'\t'));
    Some((if is_column { PairStyle::Column } else { PairStyle::Adjacent }, blank))
}

/// Returns the value after `for bob:`.
fn owned(text: &[u8], from: usize) -> Option<usize> {
    let owner = text.get(from..)?.strip_prefix(b"for ")?;
    let end = owner.iter().take(64).position(|byte| byte.is_ascii_whitespace() || *byte == b':')?;
    owner.get(end..)?.starts_with(b": ").then_some(from + 4 + end + 2)
}

/// Skips a line continuation of a shell command.
fn skip_continuation(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let ends = [&b"\\\n"[..], b"\\\r\n"];
    ends.iter().find(|end| rest.starts_with(end)).map_or(at, |end| skip_blanks(text, at + end.len()))
}

/// Returns whether the name is in a netrc entry: `machine … login … password …`.
fn is_netrc(text: &[u8], start: usize) -> bool {
    let window = text.get(start.saturating_sub(MAX_LINE)..start).unwrap_or_default();
    let has = |word: &[u8]| window.windows(word.len()).any(|other| other == word);
    has(b"login ") && (has(b"machine ") || has(b"default ") || has(b"\nlogin ") || has(b" login "))
}

/// Returns whether a command sets the name: `ENV name value` in a Dockerfile, `setx name value` on Windows.
fn is_set(text: &[u8], start: usize) -> bool {
    let window = text.get(start.saturating_sub(8)..start).unwrap_or_default().trim_ascii_end();
    let rest = window.strip_suffix(b"ENV").or_else(|| window.strip_suffix(b"setx"));
    rest.is_some_and(|rest| rest.last().is_none_or(|byte| !Class::Name.has(*byte)))
}

/// Returns the indentation of a name that is first on its line, not counting keywords such as `export`.
fn indentation(text: &[u8], start: usize) -> Option<usize> {
    let line = line_start(text, start, MAX_LINE)?;
    let mut before = text.get(line..start)?;
    let width = before.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    before = before.trim_ascii();
    for word in [
        "+",
        "-",
        "export",
        "set",
        "ENV",
        "ARG",
        "declare -x",
        "$",
        "$env:",
        "\"",
        "'",
        "const",
        "let",
        "var",
    ] {
        if let Some(rest) = before.strip_prefix(word.as_bytes()) {
            before = rest.trim_ascii_start();
        }
    }
    before.is_empty().then_some(width)
}

/// Returns whether the name is in a table cell.
fn is_table(text: &[u8], start: usize) -> bool {
    text.get(start.saturating_sub(16)..start).unwrap_or_default().trim_ascii_end().ends_with(b"|")
}

fn is_call(text: &[u8], start: usize) -> bool {
    start >= 2 && text.get(start - 2) == Some(&b'(')
}
