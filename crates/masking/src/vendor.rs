//! Tokens with a vendor's format: a prefix that the vendor chose, and a body of a known form.
//!
//! The table is in `vendor/table.rs`. Values that are recognized by their name only are handled by `pair`.

mod table;

pub(crate) use table::VENDORS;

use crate::bytes::{Class, Runs, begins_word, contains_ignoring_case};
use crate::kind::SecretKind;
use crate::span::Span;

/// The format of a vendor's token.
#[derive(Debug)]
pub(crate) struct VendorToken {
    pub(crate) kind: SecretKind,
    /// Case-sensitive prefixes.
    pub(crate) prefixes: &'static [&'static str],
    /// Run before the prefix that belongs to the token.
    before: Option<ByteRun>,
    body: &'static [TokenPart],
    /// Whether the prefix is kept, as in the URL of a webhook.
    keeps_prefix: bool,
}

/// A part of the body of a token.
#[derive(Debug)]
enum TokenPart {
    /// The longest run of a class, if its length is within bounds.
    Run(ByteRun),
    /// A fixed text.
    Text(&'static str),
}

#[derive(Debug)]
struct ByteRun {
    class: Class,
    min: usize,
    max: usize,
}

impl VendorToken {
    /// Returns the token whose prefix is `at..body`, if the format matches.
    pub(crate) fn find(&self, text: &[u8], at: usize, body: usize, runs: &mut Runs<'_>) -> Option<Span> {
        let prefix = text.get(at..body)?;
        if !self.prefixes.iter().any(|other| other.as_bytes() == prefix) {
            return None;
        }
        let start = self.start(text, at)?;
        let mut end = body;
        for piece in self.body {
            end = piece.end(text, end, runs)?;
        }
        let inner = if self.before.is_some() { start } else { body };
        is_plausible(text.get(inner..end)?).then_some(Span::new(
            if self.keeps_prefix { body } else { start },
            end,
            self.kind,
        ))
    }

    fn start(&self, text: &[u8], at: usize) -> Option<usize> {
        let Some(run) = &self.before else {
            return (self.keeps_prefix || begins_word(text, at)).then_some(at);
        };
        let window = text.get(at.saturating_sub(run.max + 1)..at)?;
        let length = window.iter().rev().take_while(|byte| run.class.has(**byte)).count();
        (run.min <= length && length <= run.max).then(|| at - length)
    }
}

impl TokenPart {
    fn end(&self, text: &[u8], from: usize, runs: &mut Runs<'_>) -> Option<usize> {
        match self {
            Self::Run(run) => {
                let end = runs.end(run.class, from);
                (run.min..=run.max).contains(&(end - from)).then_some(end)
            }
            Self::Text(piece) => {
                text.get(from..)?.starts_with(piece.as_bytes()).then_some(from + piece.len())
            }
        }
    }
}

/// Returns whether a body may be a real token and not an example from documentation.
fn is_plausible(body: &[u8]) -> bool {
    let body = body.get(..body.len().min(256)).unwrap_or(body);
    let mut seen = [false; 256];
    body.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let distinct = seen.iter().filter(|seen| **seen).count();
    let placeholders = ["your-", "your_", "xxxxxx", "placeholder", "-here", "_here", "redacted"];
    distinct >= 4 && !placeholders.iter().any(|word| contains_ignoring_case(body, word))
}
