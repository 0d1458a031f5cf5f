//! Logs the standard error of a program, with a rate limit.

use std::time::Duration;

use tokio::process::ChildStderr;
use tokio::time::Instant;
use tracing::{info, warn};

use super::Diagnosis;
use super::lines::{BoundedLine, BoundedLines};
use crate::Screen;

/// Maximum length of a logged line, in bytes.
const MAX_LINE_BYTES: usize = 2000;
/// Maximum number of lines that are logged per period.
const LINES_PER_PERIOD: u32 = 50;
const PERIOD: Duration = Duration::from_secs(10);

/// Logs lines until the program closes its end.
pub(crate) async fn log_stderr(server: String, source: ChildStderr, diagnosis: Diagnosis, screen: Screen) {
    let mut lines = BoundedLines::new(source, MAX_LINE_BYTES);
    let mut limit = LogLimit::new();
    while let Some(line) = lines.next().await {
        let line = screen.show(&server, text_of(&line));
        diagnosis.add_stderr(&line);
        match limit.admit(Instant::now()) {
            LogDecision::Log { skipped: 0 } => info!(server.name = server, "{line}"),
            LogDecision::Log { skipped } => {
                warn!(server.name = server, skipped, "skipped lines of standard error");
                info!(server.name = server, "{line}");
            }
            LogDecision::Skip => {}
        }
    }
}

fn text_of(line: &BoundedLine) -> String {
    match line {
        BoundedLine::Whole(line) => String::from_utf8_lossy(line).trim_end().to_owned(),
        BoundedLine::Cut { head, bytes, .. } => format!("{}… ({bytes} bytes)", String::from_utf8_lossy(head)),
    }
}

/// A rate limit for logged lines.
struct LogLimit {
    period_began: Instant,
    used: u32,
    skipped: u64,
}

enum LogDecision {
    /// Log the line; `skipped` lines before it were not logged.
    Log {
        skipped: u64,
    },
    Skip,
}

impl LogLimit {
    fn new() -> Self {
        Self { period_began: Instant::now(), used: 0, skipped: 0 }
    }

    fn admit(&mut self, now: Instant) -> LogDecision {
        if now.duration_since(self.period_began) >= PERIOD {
            (self.period_began, self.used) = (now, 0);
        }
        if self.used == LINES_PER_PERIOD {
            self.skipped += 1;
            return LogDecision::Skip;
        }
        self.used += 1;
        LogDecision::Log { skipped: std::mem::take(&mut self.skipped) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_the_number_of_skipped_lines_after_a_flood() {
        let mut limit = LogLimit::new();
        let begin = Instant::now();
        let logged = (0..1000).filter(|_| matches!(limit.admit(begin), LogDecision::Log { .. })).count();
        assert_eq!(logged, 50);
        assert!(matches!(limit.admit(begin + PERIOD), LogDecision::Log { skipped: 950 }));
    }
}
