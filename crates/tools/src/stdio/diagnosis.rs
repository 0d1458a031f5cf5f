//! What is known about a program that does not do what it should.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// How many lines of standard error are remembered.
const REMEMBERED: usize = 6;
/// How much of a line is shown.
const SHOWN: usize = 300;

/// What a program showed of itself, for the message that says why it cannot be used. One lock guards it all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Diagnosis(Arc<Mutex<Findings>>);

#[derive(Debug, Default)]
struct Findings {
    ending: Option<String>,
    complaints: VecDeque<String>,
    garbage: Option<String>,
}

impl Diagnosis {
    /// The program ended like this.
    pub(crate) fn ended(&self, ending: String) {
        self.with(|findings| findings.ending = Some(ending));
    }

    /// It wrote a line to standard error.
    pub(crate) fn complained(&self, line: &str) {
        self.with(|findings| {
            findings.complaints.push_back(shortened(line));
            if findings.complaints.len() > REMEMBERED {
                findings.complaints.pop_front();
            }
        });
    }

    /// It wrote something to standard output that is no message.
    pub(crate) fn babbled(&self, line: &str) {
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
            if !findings.complaints.is_empty() {
                let complaints = Vec::from_iter(findings.complaints.iter().map(String::as_str));
                write!(formatter, "; it wrote: {}", complaints.join(" | "))?;
            }
            Ok(())
        })
    }
}

fn shortened(line: &str) -> String {
    let line = line.trim();
    let cut = line.floor_char_boundary(SHOWN);
    if cut == line.len() { line.to_owned() } else { format!("{}…", &line[..cut]) }
}
