//! The line of a file that a diagnostic is about, with a mark under the place and without secrets.
//!
//! A line may hold a credential that somebody wrote into the file. Whether it does is judged by the keys on
//! the line and by the keys it stands under, from the text alone, so that it also works in a file that is not
//! valid YAML. It hides too much rather than too little.

use std::ops::Range;

use crate::expand;
use crate::source::{Source, Span};

/// What stands in place of a hidden value.
pub(crate) const HIDDEN: &str = "[hidden]";

/// A safe line with the stretch to mark in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) line: String,
    /// Column of the mark, from 1.
    pub(crate) column: usize,
    /// Characters to mark, at least 1.
    pub(crate) length: usize,
}

/// Longer lines are cut around the mark.
const MAX_WIDTH: usize = 140;

impl Excerpt {
    pub(crate) fn new(source: &Source, span: Span) -> Self {
        let line = source.line(span.start.line);
        let hidden_from = hidden_from(source, span.start.line);
        let column = span.start.column.min(line.chars().count() + 1);
        let end = if span.end.line == span.start.line { span.end.column } else { usize::MAX };
        let excerpt = match hidden_from {
            Some(at) => {
                let visible = &line[..at];
                let width = visible.chars().count();
                let hidden = column > width;
                Self {
                    line: format!("{visible}{HIDDEN}"),
                    column: column.min(width + 1),
                    length: if hidden { HIDDEN.len() } else { end.min(width + 1).saturating_sub(column) },
                }
            }
            None => {
                let length = end.min(line.chars().count() + 1).saturating_sub(column);
                Self { line: line.to_owned(), column, length }
            }
        };
        excerpt.cut()
    }

    /// Keeps a line that is too long to read to what is around the mark.
    fn cut(self) -> Self {
        let Self { line, column, length } = self;
        if line.chars().count() <= MAX_WIDTH {
            return Self { line, column, length: length.max(1) };
        }
        let skipped = (column - 1).saturating_sub(MAX_WIDTH / 2);
        let kept: String = line.chars().skip(skipped).take(MAX_WIDTH).collect();
        let column = column - skipped;
        let length = length.clamp(1, (MAX_WIDTH + 1).saturating_sub(column).max(1));
        Self { line: kept, column, length }
    }
}

/// From which byte on a line must not be shown, if it must not.
fn hidden_from(source: &Source, number: usize) -> Option<usize> {
    let line = source.line(number);
    let after_indent = line.len() - line.trim_start_matches([' ', '-', '\t']).len();
    let by_key = if under_secret_key(source, number) {
        let first = keys(line).into_iter().find(|key| key.start == after_indent);
        Some(first.map_or(after_indent, |key| key.value))
    } else {
        keys(line).into_iter().find(|key| hides_values(key.text)).map(|key| key.value)
    };
    // A bare reference to a variable says nothing that must not be known.
    let by_key = by_key.filter(|at| !expand::is_reference(line[*at..].trim().trim_matches(['"', '\''])));
    let by_password = url_password(line).map(|password| password.start);
    by_key.into_iter().chain(by_password).chain(after_secret_flag(line)).min()
}

/// Where the password in `https://user:password@host` stands.
pub(crate) fn url_password(text: &str) -> Option<Range<usize>> {
    let login = text.find("://")? + 3;
    let authority = text[login..].split(['/', '?', '#', ' ', '\n', '"', '\'']).next()?;
    let at = authority.rfind('@')?;
    let colon = authority[..at].find(':')?;
    Some(login + colon + 1..login + at)
}

/// Where what follows a flag such as `--token` begins.
fn after_secret_flag(line: &str) -> Option<usize> {
    let flags = line.match_indices("--").map(|(at, _)| {
        let name = line[at + 2..].split(|char: char| !char.is_alphanumeric() && char != '-' && char != '_');
        (at + 2, name.into_iter().next().unwrap_or_default())
    });
    let mut secret = flags.filter(|(_, name)| hides_values(name)).map(|(at, name)| at + name.len());
    secret.find(|after| !line[*after..].trim_matches(['"', '\'', ' ', ',', ']']).is_empty())
}

/// Whether a line stands deeper than a key whose values are secret.
fn under_secret_key(source: &Source, number: usize) -> bool {
    let lines: Vec<&str> = source.text.lines().take(number).collect();
    let mut above = lines.iter().rev();
    let mut depth = above.next().map_or(0, |line| indent(line));
    for line in above {
        if line.trim().is_empty() || indent(line) >= depth {
            continue;
        }
        depth = indent(line);
        if keys(line).iter().any(|key| hides_values(key.text)) {
            return true;
        }
    }
    false
}

/// A key on a line: where it begins, and where its value does.
struct LineKey<'line> {
    text: &'line str,
    start: usize,
    value: usize,
}

/// Everything on a line that looks like a key: a word or a quoted text before a colon and a blank.
fn keys(line: &str) -> Vec<LineKey<'_>> {
    let colons = line.match_indices(':').map(|(at, _)| at);
    let colons = colons.filter(|at| line[at + 1..].is_empty() || line[at + 1..].starts_with([' ', '\t']));
    colons
        .map(|colon| {
            let before = line[..colon].trim_end();
            let quote = before.chars().next_back().filter(|char| matches!(char, '"' | '\''));
            let start = match quote {
                Some(quote) => before[..before.len() - 1].rfind(quote).unwrap_or_default(),
                None => before.rfind([' ', '\t', '{', '[', ',']).map_or(0, |at| at + 1),
            };
            let blanks = line[colon + 1..].len() - line[colon + 1..].trim_start().len();
            LineKey { text: &before[start..], start, value: colon + 1 + blanks }
        })
        .collect()
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|char| matches!(char, ' ' | '-' | '\t')).count()
}

/// Whether everything under this key is to be hidden: it sounds like a credential, or it holds things that
/// often are.
pub(crate) fn hides_values(key: &str) -> bool {
    let key = key.trim_matches(['"', '\'']);
    let container = matches!(key, "env" | "headers" | "custom_headers");
    container || last_word(key).is_some_and(|word| sounds_secret(&word))
}

/// The last word of `bearer_token`, `api-key` or `accessToken`.
fn last_word(key: &str) -> Option<String> {
    let mut words = vec![String::new()];
    for char in key.chars() {
        if char.is_uppercase() && words.last().is_some_and(|word| word.ends_with(char::is_lowercase)) {
            words.push(String::new());
        }
        match words.last_mut() {
            Some(word) if char.is_alphanumeric() => word.extend(char.to_lowercase()),
            _ => words.push(String::new()),
        }
    }
    words.into_iter().rfind(|word| !word.is_empty())
}

/// Whether a word is one of those that credentials are called by, or a slip of the pen away from one.
fn sounds_secret(word: &str) -> bool {
    const WORDS: [&str; 9] = [
        "token",
        "secret",
        "password",
        "passwd",
        "apikey",
        "authorization",
        "credential",
        "credentials",
        "cookie",
    ];
    word == "key"
        || word == "auth"
        || WORDS.iter().any(|known| strsim::osa_distance(known, word) <= 1 && word != "tokens")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Position;

    fn excerpt(text: &str, line: usize, column: usize, length: usize) -> (String, usize, usize) {
        let start = Position { line, column };
        let end = Position { line, column: column + length };
        let excerpt = Excerpt::new(&Source::new("a.yaml", text), Span { start, end });
        (excerpt.line, excerpt.column, excerpt.length)
    }

    #[test]
    fn an_ordinary_line_is_shown_as_it_is() {
        assert_eq!(excerpt("a:\n  max_tokens: 5", 2, 15, 1), ("  max_tokens: 5".into(), 15, 1));
        assert_eq!(excerpt("api_key_env: X", 1, 14, 1), ("api_key_env: X".into(), 14, 1));
    }

    #[test]
    fn values_of_secret_keys_are_hidden_wherever_they_stand() {
        let cases = [
            ("bearer_token: abc", 1, "bearer_token: [hidden]"),
            ("bearer_tokn: abc", 1, "bearer_tokn: [hidden]"),
            ("- accessToken: abc", 1, "- accessToken: [hidden]"),
            ("t: {type: http, bearer_token: abc}", 1, "t: {type: http, bearer_token: [hidden]"),
            ("env:\n  PORT: abc", 2, "  PORT: [hidden]"),
            ("env: {PORT: abc}", 1, "env: [hidden]"),
            ("token: |\n  abc", 2, "  [hidden]"),
            ("headers:\n  X:\n    - abc", 3, "    - [hidden]"),
            ("\"api key\" : abc", 1, "\"api key\" : [hidden]"),
            ("token: ${TOKEN}", 1, "token: ${TOKEN}"),
            ("token: ${TOKEN:-abc}", 1, "token: [hidden]"),
            ("url: 'https://me:abc@host/path'", 1, "url: 'https://me:[hidden]"),
            ("url: https://host:80/a@b", 1, "url: https://host:80/a@b"),
            ("args: [--verbose, --api-token, abc]", 1, "args: [--verbose, --api-token[hidden]"),
            ("args: [--password=abc]", 1, "args: [--password[hidden]"),
            ("args: [--tokens, '5', --token]", 1, "args: [--tokens, '5', --token]"),
        ];
        for (text, line, expected) in cases {
            assert_eq!(excerpt(text, line, 99, 1).0, expected, "{text}");
        }
    }

    #[test]
    fn a_long_line_is_cut_around_the_mark() {
        let line = format!("{}x{}", "a".repeat(500), "b".repeat(500));
        let (kept, column, length) = excerpt(&line, 1, 501, 900);
        assert_eq!((kept.chars().nth(column - 1), kept.len()), (Some('x'), 140));
        assert_eq!(column + length, 141);
    }

    #[test]
    fn the_mark_stays_on_the_key_or_moves_to_what_is_hidden() {
        assert_eq!(excerpt("token: abc", 1, 1, 5), ("token: [hidden]".into(), 1, 5));
        assert_eq!(excerpt("token: abc", 1, 8, 3), ("token: [hidden]".into(), 8, 8));
        assert_eq!(excerpt("token: abc", 1, 9, 2), ("token: [hidden]".into(), 8, 8));
    }
}
