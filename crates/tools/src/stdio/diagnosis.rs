//! Collects why a program is unavailable: how it ended and what it printed.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of recent lines of standard error that are kept.
const KEPT_LINES: usize = 6;
/// Maximum length of a line that is shown, in bytes.
const MAX_LINE_BYTES: usize = 300;

/// Details for the message that says why a program is unavailable. Clones share the same details.
#[derive(Debug, Clone, Default)]
pub(crate) struct Diagnosis(Arc<Mutex<Findings>>);

#[derive(Debug, Default)]
struct Findings {
    ending: Option<String>,
    stderr: VecDeque<String>,
    garbage: Option<String>,
}

impl Diagnosis {
    /// Records how the program ended.
    pub(crate) fn set_ending(&self, ending: String) {
        self.with(|findings| findings.ending = Some(ending));
    }

    /// Adds a line of standard error.
    pub(crate) fn add_stderr(&self, line: &str) {
        self.with(|findings| {
            findings.stderr.push_back(shortened(line));
            if findings.stderr.len() > KEPT_LINES {
                findings.stderr.pop_front();
            }
        });
    }

    /// Records the first line of standard output that is not a message.
    pub(crate) fn add_garbage(&self, line: &str) {
        self.with(|findings| {
            findings.garbage.get_or_insert_with(|| shortened(line));
        });
    }

    fn with<T>(&self, change: impl FnOnce(&mut Findings) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with(|findings| {
            if let Some(ending) = &findings.ending {
                write!(formatter, "; {ending}")?;
            }
            if let Some(garbage) = &findings.garbage {
                write!(formatter, "; its output is not MCP: `{garbage}`")?;
            }
            if !findings.stderr.is_empty() {
                let lines = Vec::from_iter(findings.stderr.iter().map(String::as_str));
                write!(formatter, "; it wrote: {}", lines.join(" | "))?;
            }
            Ok(())
        })
    }
}

fn shortened(line: &str) -> String {
    let line = line.trim();
    let cut = line.floor_char_boundary(MAX_LINE_BYTES);
    if cut == line.len() { line.to_owned() } else { format!("{}…", &line[..cut]) }
}
