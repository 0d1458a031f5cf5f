//! How a value follows its name: behind a colon, an equals sign, a blank, in another field, between tags.

use crate::bytes::{Class, line_start, skip_blanks, starts_with_ignoring_case};
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
    let blank = skip_blanks(text, at);
    // What a quotation mark opens that does not close behind the name is a text of its own.
    let begins_text = quote.is_none() && matches!(before, Some(b'"' | b'\''));
    let indentation = if begins_text { Some(0) } else { indentation(text, start) };
    let mut place = Place { at: blank, style: Style::Assigned, is_roomy: false, quote, before, indentation };
    let (style, after) = sign(text, start, at, blank, &place)?;
    place.style = style;
    place.at = if style == Style::Listed { after } else { skip_blanks(text, after) };
    place.is_roomy = place.at > after;
    Some(place)
}

/// What comes after the name, and the place after that.
fn sign(text: &[u8], start: usize, at: usize, blank: usize, place: &Place) -> Option<(Style, usize)> {
    let next = |offset: usize| text.get(blank + offset).copied();
    match next(0)? {
        b':' if matches!(next(1), Some(b':')) || (next(1) == Some(b'/') && next(2) == Some(b'/')) => None,
        b':' if next(1) == Some(b'=') => Some((Style::Assigned, blank + 2)),
        b':' => {
            let after = skip_stars(text, blank + 1);
            let is_line = place.indentation.is_some()
                && matches!(text.get(after), None | Some(b' ' | b'\t' | b'\r' | b'\n'));
            Some((if is_line { Style::Line } else { Style::Colon }, after))
        }
        b'=' if next(1) == Some(b'>') => Some((Style::Assigned, blank + 2)),
        b'=' if matches!(next(1), Some(b'=' | b'~'))
            && !next(2).is_some_and(|byte| Class::Base64.has(byte)) =>
        {
            None
        }
        b'=' if matches!(place.before, Some(b'?' | b'&')) => Some((Style::Parameter, blank + 1)),
        b'=' => Some((Style::Assigned, blank + 1)),
        b'>' if place.before == Some(b'<') || is_named(text, start) => Some((Style::Element, blank + 1)),
        b'|' if blank > at && is_table(text, start) => Some((Style::Column, blank + 1)),
        b',' if is_call(text, start) && place.quote.is_some() => Some((Style::Call, blank + 1)),
        b'\'' | b'"' if blank > at && place.quote.is_none() => Some((Style::Quoted, blank)),
        _ => listed(text, start, at).or_else(|| spaced(text, start, at, blank, place)),
    }
}

fn skip_stars(text: &[u8], mut at: usize) -> usize {
    while text.get(at) == Some(&b'*') && at < text.len() {
        at += 1;
    }
    at
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
        let is_value = next > at && text.get(next).is_some_and(|byte| !matches!(byte, b'-' | b'\n' | b'\r'));
        return is_value.then_some((Style::Flag, next));
    }
    if blank == at {
        return None;
    }
    if ["requirepass", "masterauth"].iter().any(|word| name.eq_ignore_ascii_case(word.as_bytes()))
        || is_netrc(text, start)
    {
        return Some((Style::Flag, blank));
    }
    for word in ["is ", "was ", "is: ", "was: ", "is now ", "set to ", "to "] {
        if starts_with_ignoring_case(rest, word) {
            return Some((Style::Prose, blank + word.len()));
        }
    }
    let is_column = place.indentation.is_some() && (blank - at >= 2 || text.get(at) == Some(&b'\t'));
    Some((if is_column { Style::Column } else { Style::Beside }, blank))
}

/// `machine … login … password …`
fn is_netrc(text: &[u8], start: usize) -> bool {
    let window = text.get(start.saturating_sub(LINE)..start).unwrap_or_default();
    let has = |word: &[u8]| window.windows(word.len()).any(|other| other == word);
    has(b"login ") && (has(b"machine ") || has(b"default ") || has(b"\nlogin ") || has(b" login "))
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

/// Whether a name is the value of a field that is itself called `name` or `key`.
fn is_named(text: &[u8], start: usize) -> bool {
    let window = text.get(start.saturating_sub(24)..start).unwrap_or_default();
    let is_mark = |byte: &u8| matches!(byte, b'"' | b'\'' | b' ' | b':' | b'=' | b'\t');
    let marks = window.iter().rev().take_while(|byte| is_mark(byte)).count();
    let signs = window.get(window.len() - marks..).unwrap_or_default();
    let word = window.get(..window.len() - marks).unwrap_or_default();
    let ends = |name: &str| {
        word.len() >= name.len() && starts_with_ignoring_case(&word[word.len() - name.len()..], name)
    };
    signs.iter().any(|byte| matches!(byte, b':' | b'=')) && (ends("name") || ends("key"))
}

/// Whether the line is a row of a table.
fn is_table(text: &[u8], start: usize) -> bool {
    let line = line_start(text, start, LINE).and_then(|line| text.get(line..start)).unwrap_or_default();
    line.trim_ascii_start().first() == Some(&b'|')
}

fn is_call(text: &[u8], start: usize) -> bool {
    start >= 2 && text.get(start - 2) == Some(&b'(')
}

/// The value in the field after the one that holds the name: `name: X`, then `value: …`.
fn listed(text: &[u8], start: usize, at: usize) -> Option<(Style, usize)> {
    if !is_named(text, start) {
        return None;
    }
    let limit = text.len().min(at + 120);
    let is_gap = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'"' | b'\'' | b';');
    let mut next = at;
    while next < limit && text.get(next).is_some_and(is_gap) {
        next += 1;
    }
    let rest = text.get(next..)?;
    if !starts_with_ignoring_case(rest, "value") && !starts_with_ignoring_case(rest, "parametervalue") {
        return None;
    }
    let after = Class::Alnum.end_within(text, next, 32);
    let after = Quote::at(text, after).map_or(after, |(_, after)| after);
    let sign = skip_blanks(text, after);
    let word = text.get(next..next + 9)?;
    let is_value = !word.eq_ignore_ascii_case(b"valuefrom");
    (is_value && matches!(text.get(sign), Some(b':' | b'=')))
        .then(|| (Style::Listed, skip_blanks(text, sign + 1)))
}
