//! Kubernetes Secrets, found by their structure: keys stay, values go.
//!
//! `flow` reads JSON and YAML's flow style, also inside strings; `block` reads YAML by its indentation. Both walk over
//! all of the text, but only if it mentions a Secret at all, and both take what they can from text that is cut off or
//! has prose around it. ConfigMaps and everything else are left alone.

mod block;
mod flow;
mod object;

use crate::lines::Newline;
use crate::span::Span;

/// Strings inside strings inside strings.
const DEPTHS: std::ops::Range<u32> = 0..4;

/// Finds the values of all Secrets in a text.
pub(crate) fn find(text: &[u8], spans: &mut Vec<Span>) {
    let Some(mentions) = Mentions::of(text) else { return };
    for depth in DEPTHS {
        if mentions.quoted_at.get(depth as usize) == Some(&true) {
            flow::find(text, depth, spans);
        }
    }
    if mentions.bare {
        block::find(text, Newline::Real, spans);
        if text.windows(2).any(|two| two == b"\\n") {
            block::find(text, Newline::Escaped, spans);
        }
    }
}

/// In which ways a text says that something is a Secret.
#[derive(Debug, Default)]
struct Mentions {
    /// In quotation marks with so many strings around them. The first is also for flow style without any.
    quoted_at: [bool; 4],
    /// After a colon and a blank.
    bare: bool,
}

impl Mentions {
    fn of(text: &[u8]) -> Option<Self> {
        let mut mentions = Self::default();
        let mut found = false;
        let mut from = 0;
        while let Some(at) = next_secret(text, from) {
            from = at + b"Secret".len();
            found |= mentions.add(text, at);
        }
        found.then_some(mentions)
    }

    /// Looks at what is before the word: a mark of quotation, a blank, a colon.
    fn add(&mut self, text: &[u8], at: usize) -> bool {
        let Some(before) = at.checked_sub(1).and_then(|index| text.get(index)) else { return false };
        match before {
            b'"' | b'\'' => {
                let window = text.get(at.saturating_sub(9)..at - 1).unwrap_or_default();
                let slashes = window.iter().rev().take_while(|byte| **byte == b'\\').count();
                let depth = (slashes + 1).checked_ilog2().unwrap_or(0) as usize;
                if let Some(quoted) = self.quoted_at.get_mut(depth) {
                    *quoted = true;
                }
                self.bare = true;
                true
            }
            b' ' | b':' | b'\t' => {
                self.quoted_at[0] = true;
                self.bare = true;
                true
            }
            _ => false,
        }
    }
}

/// Where the word is next. Looking for its rarest letter first is what makes this fast.
fn next_secret(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = text.get(at..)?;
        at += rest.iter().position(|byte| *byte == b'S')?;
        if text.get(at..)?.starts_with(b"Secret") {
            return Some(at);
        }
        at += 1;
    }
}
