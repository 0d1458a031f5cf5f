//! Finds credentials in a text, so that diagnostics do not show them.
//!
//! A credential is recognized by what precedes it: a key whose name suggests a secret, a flag, `Bearer`, or
//! its position in a URL. This works on a line of a broken file as well as on a scalar, and hides too much
//! rather than too little. The position of the text in the file is not taken into account; see `excerpt`.

use std::ops::Range;

use crate::expand;

/// The replacement for a hidden value.
pub(crate) const HIDDEN: &str = "[hidden]";

const QUOTES: [char; 2] = ['"', '\''];

/// Returns a text with everything from the first credential on replaced.
pub(crate) fn cut(text: &str) -> String {
    hidden_from(text).map_or_else(|| text.to_owned(), |at| format!("{}{HIDDEN}", &text[..at]))
}

/// Returns the byte offset of the first credential in a text.
pub(crate) fn hidden_from(text: &str) -> Option<usize> {
    let assigned =
        named_values(text).into_iter().filter(|found| found.is_secret(text)).map(|found| found.value);
    let in_urls = in_urls(text).into_iter().map(|range| range.start);
    assigned.chain(in_urls).chain(after_flag(text)).chain(after_bearer(text)).chain(in_reference(text)).min()
}

/// Hides the user info and the query values of all URLs in a text: `https://user:password@host/?key=value`.
pub(crate) fn hide_in_urls(text: &str) -> String {
    let mut shown = text.to_owned();
    for range in in_urls(text).into_iter().rev() {
        shown.replace_range(range, HIDDEN);
    }
    shown
}

/// A name with a value: `name: value`, `name=value`, and `name:value` with the space missing.
pub(crate) struct NamedValue<'text> {
    pub(crate) name: &'text str,
    /// Offset of the name.
    pub(crate) start: usize,
    /// Offset of the value.
    pub(crate) value: usize,
    /// Whether YAML would read the name as a key.
    pub(crate) is_key: bool,
}

/// Returns all names with a value in a text.
pub(crate) fn named_values(text: &str) -> Vec<NamedValue<'_>> {
    let is_name_char = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '.');
    let separators = text.match_indices([':', '=']);
    separators
        .map(|(at, separator)| {
            let before = text[..at].trim_end().trim_end_matches(QUOTES);
            let name = before.rsplit(|char| !is_name_char(char)).next().unwrap_or_default();
            let after = &text[at + 1..];
            NamedValue {
                name,
                start: before.len() - name.len(),
                value: at + 1 + (after.len() - after.trim_start().len()),
                is_key: separator == ":" && (after.is_empty() || after.starts_with([' ', '\t'])),
            }
        })
        .collect()
}

impl NamedValue<'_> {
    /// Returns whether more deeply indented lines below must not be shown.
    pub(crate) fn hides_lines_below(&self) -> bool {
        hides_values(self.name) || self.names_a_variable()
    }

    fn names_a_variable(&self) -> bool {
        self.name.ends_with("_env")
    }

    fn is_secret(&self, text: &str) -> bool {
        // The default in `${NAME:-default}` is handled by `in_reference`.
        if text[..self.start].ends_with("${") {
            return false;
        }
        let value = &text[self.value..];
        let is_misplaced = || self.names_a_variable() && !begins_with_a_name(value);
        !is_open(value) && (hides_values(self.name) || is_misplaced())
    }
}

/// Returns whether there is nothing to hide: an empty text, or a bare reference to a variable.
fn is_open(value: &str) -> bool {
    let value = value.trim().trim_matches(QUOTES);
    value.is_empty() || expand::is_reference(value)
}

/// Returns whether a value is the name of a variable. Anything else under a key such as `api_key_env` may be
/// the credential itself, pasted by mistake.
fn begins_with_a_name(value: &str) -> bool {
    let word = value.trim_start_matches(QUOTES);
    let end = word.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(word.len());
    let after = word[end..].trim_start_matches(QUOTES).trim_start();
    expand::is_name(&word[..end]) && (after.is_empty() || after.starts_with([',', '}', '#']))
}

/// Returns the offset of the text after a flag such as `--token`.
fn after_flag(text: &str) -> Option<usize> {
    let flags = text.match_indices("--").map(|(at, _)| {
        let name = text[at + 2..].split(|char: char| !char.is_alphanumeric() && char != '-' && char != '_');
        (at + 2, name.into_iter().next().unwrap_or_default())
    });
    let mut secret = flags.filter(|(_, name)| hides_values(name)).map(|(at, name)| at + name.len());
    secret.find(|after| !text[*after..].trim_matches(['"', '\'', ' ', ',', ']']).is_empty())
}

fn after_bearer(text: &str) -> Option<usize> {
    const BEARER: &str = "bearer ";
    let lowercase = text.to_ascii_lowercase();
    let mut found = lowercase.match_indices(BEARER).map(|(at, _)| at + BEARER.len());
    found.find(|at| !is_open(&text[*at..]))
}

/// Returns the offset of the text after the name in `${TOKEN:-default}`.
fn in_reference(text: &str) -> Option<usize> {
    let mut names = text.match_indices("${").filter_map(|(at, _)| {
        let name = expand::variable(&text[at..])?;
        hides_values(name).then_some(at + 2 + name.len())
    });
    names.find(|at| !text[*at..].starts_with('}') && !text[*at..].starts_with(":-}"))
}

/// Returns the user info and the query values of all URLs in a text, in order.
fn in_urls(text: &str) -> Vec<Range<usize>> {
    let starts = text.match_indices("://").map(|(at, _)| at + 3);
    let found = starts.flat_map(|start| {
        let found = user_info(&text[start..]).into_iter().chain(query_values(&text[start..]));
        found.map(move |range| start + range.start..start + range.end)
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|range| range.start);
    // A URL can be part of the query of another one.
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for range in found {
        match ranges.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => ranges.push(range),
        }
    }
    ranges
}

/// Returns the user info of a URL, given the text after its `://`.
fn user_info(url: &str) -> Option<Range<usize>> {
    let authority = url.split(|char: char| is_end(char) || matches!(char, '/' | '?' | '#')).next()?;
    let end = match authority.rfind('@') {
        Some(at) => at,
        // A password with a `/` or a space in it looks like a port that is not a number.
        None => {
            let port = authority.split_once(':')?.1;
            let is_port = port.chars().all(|char| char.is_ascii_digit()) || expand::is_reference(port);
            url.rfind('@').filter(|_| !is_port)?
        }
    };
    let is_open = url[..end].split(':').all(expand::is_reference);
    (!is_open).then_some(0..end)
}

/// Returns the query values of a URL, given the text after its `://`.
fn query_values(url: &str) -> Vec<Range<usize>> {
    let url = url.split(is_end).next().unwrap_or_default();
    let Some(mut at) = url.find('?').map(|at| at + 1) else { return Vec::new() };
    let mut values = Vec::new();
    for part in url[at..].split('&') {
        // A part without `=` is a value.
        let value = at + part.find('=').map_or(0, |equals| equals + 1);
        let end = at + part.len();
        if !is_open(&url[value..end]) {
            values.push(value..end);
        }
        at = end + 1;
    }
    values
}

fn is_end(char: char) -> bool {
    char.is_whitespace() || QUOTES.contains(&char)
}

/// Returns whether all values of a key are hidden: its name suggests a credential, or it usually contains
/// some.
pub(crate) fn hides_values(key: &str) -> bool {
    let key = key.trim_matches(QUOTES);
    let container = matches!(key, "env" | "headers" | "custom_headers");
    container || last_word(key).is_some_and(|word| names_a_secret(&word))
}

/// Returns the last word of a name such as `bearer_token`, `API-KEY` or `accessToken`.
fn last_word(key: &str) -> Option<String> {
    let last = key.split(|char: char| !char.is_alphanumeric()).rfind(|part| !part.is_empty())?;
    let chars = last.char_indices().zip(last.chars().skip(1));
    let humps = chars.filter(|((_, one), next)| one.is_lowercase() && next.is_uppercase());
    let start = humps.last().map_or(0, |((at, one), _)| at + one.len_utf8());
    Some(last[start..].to_lowercase())
}

/// Returns whether a word is a common name for credentials, or one typo away from one.
fn names_a_secret(word: &str) -> bool {
    const SHORT: [&str; 4] = ["key", "auth", "pass", "pwd"];
    const LONG: [&str; 10] = [
        "token",
        "secret",
        "password",
        "passwd",
        "passphrase",
        "apikey",
        "authorization",
        "credential",
        "credentials",
        "cookie",
    ];
    SHORT.contains(&word)
        || LONG.iter().any(|known| strsim::osa_distance(known, word) <= 1 && word != "tokens")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_a_text_at_the_first_credential() {
        let cases = [
            ("-e DB_PASSWORD=abc", "-e DB_PASSWORD=[hidden]"),
            ("bearer_token:abc", "bearer_token:[hidden]"),
            ("'{\"password\" : \"abc\"}'", "'{\"password\" : [hidden]"),
            ("X-Api: Bearer abc", "X-Api: Bearer [hidden]"),
            ("https://me:abc@host/path", "https://[hidden]"),
            ("https://abc@host", "https://[hidden]"),
            ("https://me:a/b c@host", "https://[hidden]"),
            ("https://h/?page=abc", "https://h/?page=[hidden]"),
            ("https://h/?abc", "https://h/?[hidden]"),
            ("${API_TOKEN-abc}", "${API_TOKEN[hidden]"),
            ("${API_TOKEN:-abc}", "${API_TOKEN[hidden]"),
            ("api_key_env: sk-abc", "api_key_env: [hidden]"),
            ("{api_key_env: \"my abc\"}", "{api_key_env: [hidden]"),
            ("--api-token, abc", "--api-token[hidden]"),
        ];
        for (text, expected) in cases {
            assert_eq!(cut(text), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_are_unchanged() {
        for text in [
            "max_tokens: 5",
            "token:",
            "token: ${TOKEN}",
            "X-Api: 'Bearer ${TOKEN}'",
            "${API_TOKEN} ${API_TOKEN:-}",
            "https://host:80/a@b",
            "https://${USER}:${PASSWORD}@host/?id={{.SESSION_ID}}",
            "{type: google, api_key_env: 'MY_KEY', model: m}",
            "api_key_env: MY_KEY # why",
            "api_key_env: ${MY_KEY}",
        ] {
            assert_eq!(cut(text), text);
        }
    }

    #[test]
    fn hides_credentials_in_urls() {
        let cases = [
            (
                "https://me:abc@host/a?b=abc&c=${X}&abc#d",
                "https://[hidden]@host/a?b=[hidden]&c=${X}&[hidden]",
            ),
            ("see http://a/?x=abc and http://abc@b", "see http://a/?x=[hidden] and http://[hidden]@b"),
            ("http://a/?next=http://abc@b/", "http://a/?next=[hidden]"),
            ("http://a/http://abc@b?c=abc", "http://a/http://[hidden]@b?c=[hidden]"),
            ("http://me:a/b?c=abc@abc", "http://[hidden]"),
        ];
        for (text, expected) in cases {
            assert_eq!(hide_in_urls(text), expected, "{text}");
        }
    }
}
