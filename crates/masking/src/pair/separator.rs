//! How a value follows its name: behind a colon, an equals sign, a blank, in another field, between tags.

use super::{listed, markup};
use crate::bytes::{
    Class, contains_ignoring_case, line_start, line_within, skip_blanks, starts_with_ignoring_case,
};
use crate::quote::Quote;

/// Where a value is to be looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) style: Style,
    /// Whether there is a blank between the separator and the value.
    pub(super) is_roomy: bool,
    /// The quotation marks around the name.
    pub(super) quote: Option<Quote>,
    /// The byte before the name: where it is a quotation mark that does not end with the name, it ends the value.
    pub(super) before: Option<u8>,
    /// Whether the name is the first thing on its line, and how far it is indented.
    pub(super) indentation: Option<usize>,
}

/// How a value follows its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `name: value` on a line of its own.
    Line,
    /// `name: value` somewhere.
    Colon,
    /// `name=value`, and its like in programs.
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
    /// `name:`, and the value on the next line.
    Below,
    /// `call("name", "value")`
    Call,
    /// `name 'value'`
    Quoted,
    /// `name value`
    Beside,
}

/// How far to the left the start of a line is looked for.
const LINE: usize = 160;

/// Where the value of a name is, if one can follow.
pub(super) fn find(text: &[u8], start: usize, end: usize) -> Option<Place> {
    let before = start.checked_sub(1).and_then(|index| text.get(index)).copied();
    let closing =
        Quote::at(text, end).filter(|(_, after)| before.is_some() && before == text.get(after - 1).copied());
    let quote = closing.map(|(quote, _)| quote);
    let mut at = closing.map_or(end, |(_, after)| after);
    while matches!(text.get(at), Some(b'*' | b']')) && (quote.is_some() || text.get(at) == Some(&b'*')) {
        at += 1;
    }
    let blank = skip_number(text, skip_blanks(text, at));
    // What a quotation mark opens that does not close behind the name is a text of its own.
    let begins_text = quote.is_none() && matches!(before, Some(b'"' | b'\''));
    let indentation = if begins_text { Some(0) } else { indentation(text, start) };
    let mut place = Place { at: blank, style: Style::Assigned, is_roomy: false, quote, before, indentation };
    let (style, after) = sign(text, start, at, blank, &place)?;
    place.style = style;
    place.at = if style == Style::Listed { after } else { skip_blanks(text, after) };
    place.is_roomy = place.at > after;
    if style == Style::Line
        && let Some(next) = next_line(text, &place)
    {
        place.style = Style::Below;
        place.at = next;
    }
    Some(place)
}

/// The place after a number that belongs to a name, as in `Unseal Key 1: …`.
fn skip_number(text: &[u8], at: usize) -> usize {
    let end = Class::Digit.end_within(text, at, 4);
    if end > at && text.get(end) == Some(&b':') { end } else { at }
}

/// What comes after the name, and the place after that.
fn sign(text: &[u8], start: usize, at: usize, blank: usize, place: &Place) -> Option<(Style, usize)> {
    let next = |offset: usize| text.get(blank + offset).copied();
    match next(0)? {
        // In LDIF two colons stand before Base64.
        b':' if next(1) == Some(b':') && next(2) == Some(b' ') => Some((Style::Assigned, blank + 2)),
        b':' if matches!(next(1), Some(b':')) || (next(1) == Some(b'/') && next(2) == Some(b'/')) => None,
        // A part of an address like `arn:aws:secretsmanager:…:secret:…`.
        b':' if place.before == Some(b':') => None,
        b':' if next(1) == Some(b'=') => Some((Style::Assigned, blank + 2)),
        b':' => {
            let after = skip_stars(text, blank + 1);
            if let Some(value) = declared(text, after) {
                return Some((Style::Assigned, value));
            }
            let is_line = place.indentation.is_some()
                && matches!(text.get(after), None | Some(b' ' | b'\t' | b'\r' | b'\n'));
            Some((if is_line { Style::Line } else { Style::Colon }, after))
        }
        b'=' if next(1) == Some(b'>') => Some((Style::Assigned, skip_type(text, blank + 2))),
        b'=' if matches!(next(1), Some(b'=' | b'~'))
            && !next(2).is_some_and(|byte| Class::Base64.has(byte)) =>
        {
            None
        }
        b'=' if matches!(place.before, Some(b'?' | b'&')) => Some((Style::Parameter, blank + 1)),
        b'=' => Some((Style::Assigned, blank + 1)),
        b'>' if listed::is_named(text, start) => Some((Style::Element, blank + 1)),
        _ if markup::is_tag(text, start) => Some((Style::Element, markup::content(text, at)?)),
        b'|' if blank > at && is_table(text, start) => Some((Style::Column, blank + 1)),
        b',' if is_call(text, start) && place.quote.is_some() => Some((Style::Call, blank + 1)),
        // MySQL's `PASSWORD('…')`.
        b'(' if blank == at && matches!(next(1), Some(b'\'' | b'"')) => text
            .get(start..at)
            .is_some_and(|name| name.eq_ignore_ascii_case(b"password"))
            .then_some((Style::Call, blank + 1)),
        b'\'' | b'"' if blank > at && place.quote.is_none() && is_set(text, start) => {
            Some((Style::Flag, blank))
        }
        b'\'' | b'"' if blank > at && place.quote.is_none() => Some((Style::Quoted, blank)),
        b'`' if blank > at && place.quote.is_none() => Some((Style::Prose, blank)),
        _ if listed::is_named(text, start) => listed::after(text, at)
            .or_else(|| listed::before(text, start))
            .map(|value| (Style::Listed, value)),
        _ => spaced(text, start, at, blank, place),
    }
}

fn skip_stars(text: &[u8], mut at: usize) -> usize {
    while text.get(at) == Some(&b'*') && at < text.len() {
        at += 1;
    }
    at
}

/// The value behind a type: `name: str = "value"`, `name string = "value"`.
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

/// The place after `string(8) `, which PHP writes before a value.
fn skip_type(text: &[u8], from: usize) -> usize {
    let at = skip_blanks(text, from);
    let Some(rest) = text.get(at..).and_then(|rest| rest.strip_prefix(b"string(")) else { return from };
    let digits = rest.iter().take(12).take_while(|byte| byte.is_ascii_digit()).count();
    if rest.get(digits) == Some(&b')') { at + b"string()".len() + digits } else { from }
}

/// A single word on the next line, indented further than the name, which has nothing behind it.
fn next_line(text: &[u8], place: &Place) -> Option<usize> {
    let end = place.at + usize::from(text.get(place.at) == Some(&b'\r'));
    let start = skip_blanks(text, end + 1);
    let word = line_within(text, start, 256).trim_ascii_end();
    let is_word = !word.is_empty() && !word.iter().any(u8::is_ascii_whitespace) && word.last() != Some(&b':');
    (text.get(end) == Some(&b'\n') && start - end - 1 > place.indentation? && is_word).then_some(start)
}

/// Names that blanks alone part from their value.
fn spaced(text: &[u8], start: usize, at: usize, blank: usize, place: &Place) -> Option<(Style, usize)> {
    let name = text.get(start..at)?;
    let rest = text.get(blank..)?;
    if name.starts_with(b"-") {
        let next = if place.quote.is_some() && rest.starts_with(b",") {
            skip_blanks(text, blank + 1)
        } else {
            blank
        };
        let next = skip_continuation(text, next);
        let is_value = next > at && text.get(next).is_some_and(|byte| !matches!(byte, b'-' | b'\n' | b'\r'));
        return is_value.then_some((Style::Flag, next));
    }
    if blank == at {
        return None;
    }
    let settings = ["requirepass", "masterauth", "bindpw", "rootpw"];
    if settings.iter().any(|word| name.eq_ignore_ascii_case(word.as_bytes()))
        || is_netrc(text, start)
        || is_set(text, start)
    {
        return Some((Style::Flag, blank));
    }
    if let Some(value) = declared(text, blank) {
        return Some((Style::Assigned, value));
    }
    for word in ["is ", "was ", "is: ", "was: ", "is now ", "set to ", "to "] {
        if starts_with_ignoring_case(rest, word) {
            return Some((Style::Prose, blank + word.len()));
        }
    }
    if let Some(value) = owned(text, blank) {
        return Some((Style::Prose, value));
    }
    let is_column = place.indentation.is_some() && (blank - at >= 2 || text.get(at) == Some(&b'\t'));
    Some((if is_column { Style::Column } else { Style::Beside }, blank))
}

/// The value behind `for bob:`.
fn owned(text: &[u8], from: usize) -> Option<usize> {
    let owner = text.get(from..)?.strip_prefix(b"for ")?;
    let end = owner.iter().take(64).position(|byte| byte.is_ascii_whitespace() || *byte == b':')?;
    owner.get(end..)?.starts_with(b": ").then_some(from + 4 + end + 2)
}

/// The place after blanks and a backslash that goes on with the command on the next line.
fn skip_continuation(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let ends = [&b"\\\n"[..], b"\\\r\n"];
    ends.iter().find(|end| rest.starts_with(end)).map_or(at, |end| skip_blanks(text, at + end.len()))
}

/// `machine … login … password …`
fn is_netrc(text: &[u8], start: usize) -> bool {
    let window = text.get(start.saturating_sub(LINE)..start).unwrap_or_default();
    let has = |word: &[u8]| window.windows(word.len()).any(|other| other == word);
    has(b"login ") && (has(b"machine ") || has(b"default ") || has(b"\nlogin ") || has(b" login "))
}

/// `ENV name value` in a Dockerfile, `setx name value` on Windows.
fn is_set(text: &[u8], start: usize) -> bool {
    let window = text.get(start.saturating_sub(8)..start).unwrap_or_default().trim_ascii_end();
    let rest = window.strip_suffix(b"ENV").or_else(|| window.strip_suffix(b"setx"));
    rest.is_some_and(|rest| rest.last().is_none_or(|byte| !Class::Name.has(*byte)))
}

/// How far a name is indented that is the first thing on its line, not counting what may come before a setting.
fn indentation(text: &[u8], start: usize) -> Option<usize> {
    let line = line_start(text, start, LINE)?;
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

/// Whether the name is in a cell of a table.
fn is_table(text: &[u8], start: usize) -> bool {
    text.get(start.saturating_sub(16)..start).unwrap_or_default().trim_ascii_end().ends_with(b"|")
}

fn is_call(text: &[u8], start: usize) -> bool {
    start >= 2 && text.get(start - 2) == Some(&b'(')
}
