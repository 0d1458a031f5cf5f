//! A line on the terminal that says how far a replay has come. Where there is no terminal, nothing is said.

use std::io::{IsTerminal, Write};

use crate::terminal::line_of;

/// A line has so many characters at most.
const WIDTH: usize = 76;
/// Goes to the beginning of the line and clears it.
const CLEAR: &str = "\r\u{1b}[2K";

/// The line.
pub(super) struct Progress {
    is_shown: bool,
    last: String,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { is_shown: std::io::stderr().is_terminal(), last: String::new() }
    }

    /// Says what is being done, if that is news.
    pub(super) fn tell(&mut self, now: &str) {
        let now = line_of(now, WIDTH);
        if now != self.last {
            self.write(&now);
            self.last = now;
        }
    }

    /// That it cannot be shown is no reason not to go on.
    fn write(&self, line: &str) {
        if self.is_shown {
            let mut stderr = std::io::stderr();
            let _ = write!(stderr, "{CLEAR}{line}");
            let _ = stderr.flush();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.write("");
    }
}
