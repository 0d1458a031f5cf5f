//! Tokens that tell by their shape whose they are: a prefix that the vendor chose, and a body of a known form.
//!
//! The table is in `vendor/table.rs`. Values that only their key gives away are the business of `pair`.

mod table;

pub(crate) use table::VENDORS;

use crate::bytes::{Class, Runs, begins_word, contains_ignoring_case};
use crate::kind::Kind;
use crate::span::Span;

/// The shape of a vendor's token.
#[derive(Debug)]
pub(crate) struct Vendor {
    pub(crate) kind: Kind,
    /// What it is looked for by; upper and lower case count.
    pub(crate) prefixes: &'static [&'static str],
    /// What stands before the prefix and belongs to the token.
    before: Option<Run>,
    body: &'static [Piece],
    /// Whether the prefix itself stays, as in the address of a webhook.
    keeps_prefix: bool,
}

/// A part of a token's body.
#[derive(Debug)]
enum Piece {
    /// As many bytes of a class as there are, if that is a number between two bounds.
    Run(Run),
    /// Exactly this.
    Text(&'static str),
}

#[derive(Debug)]
struct Run {
    class: Class,
    least: usize,
    most: usize,
}

impl Vendor {
    /// The token whose prefix is between two places, if it has the right shape.
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
        let window = text.get(at.saturating_sub(run.most + 1)..at)?;
        let length = window.iter().rev().take_while(|byte| run.class.has(**byte)).count();
        (run.least <= length && length <= run.most).then(|| at - length)
    }
}

impl Piece {
    fn end(&self, text: &[u8], from: usize, runs: &mut Runs<'_>) -> Option<usize> {
        match self {
            Self::Run(run) => {
                let end = runs.end(run.class, from);
                (run.least..=run.most).contains(&(end - from)).then_some(end)
            }
            Self::Text(piece) => {
                text.get(from..)?.starts_with(piece.as_bytes()).then_some(from + piece.len())
            }
        }
    }
}

/// Whether a body can be a token, and is not what documentation writes in its place.
fn is_plausible(body: &[u8]) -> bool {
    let body = body.get(..body.len().min(256)).unwrap_or(body);
    let mut seen = [false; 256];
    body.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let different = seen.iter().filter(|seen| **seen).count();
    let placeholders = ["your-", "your_", "xxxxxx", "placeholder", "-here", "_here", "redacted"];
    different >= 4 && !placeholders.iter().any(|word| contains_ignoring_case(body, word))
}
