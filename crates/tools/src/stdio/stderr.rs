//! What a program writes to standard error goes to our log, as much of it as a log can bear.

use std::time::Duration;

use tokio::process::ChildStderr;
use tokio::time::Instant;
use tracing::{info, warn};

use super::Diagnosis;
use super::lines::{Line, Lines};
use crate::Screen;

/// The longest line that is logged.
const LONGEST_LINE: usize = 2000;
/// How many lines are logged in a period.
const LINES: u32 = 50;
const PERIOD: Duration = Duration::from_secs(10);

/// Logs what arrives until the program closes its end.
pub(crate) async fn log_stderr(server: String, source: ChildStderr, diagnosis: Diagnosis, screen: Screen) {
    let mut lines = Lines::new(source, LONGEST_LINE);
    let mut allowance = Allowance::new();
    while let Some(line) = lines.next().await {
        let line = screen.show(&server, text_of(&line));
        diagnosis.complained(&line);
        match allowance.ask(Instant::now()) {
            Answer::Yes { unlogged: 0 } => info!(server.name = server, "{line}"),
            Answer::Yes { unlogged } => {
                warn!(server.name = server, unlogged, "lines of standard error were not logged");
                info!(server.name = server, "{line}");
            }
            Answer::No => {}
        }
    }
}

fn text_of(line: &Line) -> String {
    match line {
        Line::Whole(line) => String::from_utf8_lossy(line).trim_end().to_owned(),
        Line::Cut { head, bytes, .. } => format!("{}… ({bytes} bytes)", String::from_utf8_lossy(head)),
    }
}

/// Counts lines against what may be logged.
struct Allowance {
    period_began: Instant,
    used: u32,
    unlogged: u64,
}

enum Answer {
    /// The line may be logged; these before it were not.
    Yes {
        unlogged: u64,
    },
    No,
}

impl Allowance {
    fn new() -> Self {
        Self { period_began: Instant::now(), used: 0, unlogged: 0 }
    }

    fn ask(&mut self, now: Instant) -> Answer {
        if now.duration_since(self.period_began) >= PERIOD {
            (self.period_began, self.used) = (now, 0);
        }
        if self.used == LINES {
            self.unlogged += 1;
            return Answer::No;
        }
        self.used += 1;
        Answer::Yes { unlogged: std::mem::take(&mut self.unlogged) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_counted_and_told_of_when_it_ebbs() {
        let mut allowance = Allowance::new();
        let begin = Instant::now();
        let logged = (0..1000).filter(|_| matches!(allowance.ask(begin), Answer::Yes { .. })).count();
        assert_eq!(logged, 50);
        assert!(matches!(allowance.ask(begin + PERIOD), Answer::Yes { unlogged: 950 }));
    }
}
