//! The file `.env` of a configuration directory: variables for the configuration, one `NAME=value` per line.
//!
//! A line can start with `export`; blank lines and lines that start with `#` are ignored. An unquoted value ends
//! at ` #`. A value in single quotes is literal; in double quotes `\n`, `\r`, `\t`, `\"`, `\\` and `\$` are
//! escapes. A quoted value can have several lines. Values are not expanded. Messages contain line numbers
//! only, because every value may be a credential.

use std::path::Path as FilePath;

use crate::diagnostic::Diagnostic;
use crate::expand;
use crate::files::read_text;
use crate::path::Path;

/// The name of the file.
pub(crate) const NAME: &str = ".env";

/// The content of the file.
#[derive(Debug, Default)]
pub(crate) struct EnvFile {
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl EnvFile {
    /// Reads the file of a directory; empty if there is none. A directory of this name is ignored, because it is
    /// usually a Python environment.
    pub(crate) fn in_directory(directory: &FilePath) -> Self {
        if !directory.join(NAME).is_file() {
            return Self::default();
        }
        match read_text(directory, NAME) {
            Ok(source) => Self::parse(&source.text),
            Err(diagnostic) => Self { variables: Vec::new(), diagnostics: vec![unreadable(*diagnostic)] },
        }
    }

    fn parse(text: &str) -> Self {
        let mut file = Self::default();
        let mut lines = EnvLines { rest: text, number: 0 };
        while let Some(line) = lines.next_line() {
            let number = lines.number;
            match lines.assignment(line) {
                Ok(Some(variable)) => file.variables.push(variable),
                Ok(None) => {}
                Err(message) => {
                    let message = format!("`{NAME}`, line {number}: {message}");
                    file.diagnostics.push(Diagnostic::error(&Path::default(), message, None));
                }
            }
        }
        file
    }
}

/// Returns an error without the excerpt of the file.
fn unreadable(diagnostic: Diagnostic) -> Diagnostic {
    let message = match &diagnostic.location {
        Some(at) => format!("`{NAME}`, line {}: the file is not valid UTF-8", at.line),
        None => diagnostic.message,
    };
    Diagnostic { message, location: None, ..diagnostic }
}

/// The lines that are not read yet.
struct EnvLines<'a> {
    rest: &'a str,
    /// Number of the last line that was read.
    number: usize,
}

impl<'a> EnvLines<'a> {
    fn next_line(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        self.number += 1;
        Some(line)
    }

    /// Parses a line; a quoted value may continue on the next ones.
    fn assignment(&mut self, line: &'a str) -> Result<Option<(String, String)>, &'static str> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let assignment = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = assignment.split_once('=').ok_or("expected `NAME=value`")?;
        let name = name.trim();
        if !expand::is_name(name) {
            return Err("expected `NAME=value`");
        }
        let value = value.trim_start();
        let value = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => self.quoted(&value[1..], quote)?,
            Some('#') | None => String::new(),
            Some(_) => unquoted(value).to_owned(),
        };
        Ok(Some((name.to_owned(), value)))
    }

    /// Reads a quoted value up to its closing quote.
    fn quoted(&mut self, first: &'a str, quote: char) -> Result<String, &'static str> {
        let mut value = String::new();
        let mut line = first;
        loop {
            let mut chars = line.chars();
            while let Some(char) = chars.next() {
                match char {
                    '\\' if quote == '"' => value.push_str(&escaped(chars.next())),
                    _ if char == quote => return after_quote(chars.as_str()).map(|()| value),
                    _ => value.push(char),
                }
            }
            value.push('\n');
            line = self.next_line().ok_or("the quoted value has no closing quote")?;
            line = line.strip_suffix('\r').unwrap_or(line);
        }
    }
}

/// Returns the text for a backslash and the character after it. A backslash at the end of a line stays.
fn escaped(char: Option<char>) -> String {
    match char {
        Some('n') => "\n".to_owned(),
        Some('r') => "\r".to_owned(),
        Some('t') => "\t".to_owned(),
        Some(char @ ('"' | '\\' | '$')) => char.to_string(),
        Some(char) => format!("\\{char}"),
        None => "\\".to_owned(),
    }
}

fn after_quote(rest: &str) -> Result<(), &'static str> {
    let rest = rest.trim();
    if rest.is_empty() || rest.starts_with('#') {
        Ok(())
    } else {
        Err("unexpected text after the closing quote")
    }
}

/// Returns an unquoted value without a comment, which starts with ` #`.
fn unquoted(value: &str) -> &str {
    let comment = value.match_indices('#').find(|(at, _)| value[..*at].ends_with([' ', '\t']));
    value[..comment.map_or(value.len(), |(at, _)| at)].trim_end()
}
