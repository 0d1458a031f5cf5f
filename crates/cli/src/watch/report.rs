//! The report of a session in Markdown.

use std::fmt::{Display, Formatter, Result, Write as _};
use std::io::{IsTerminal, Write};

use anyhow::Context;
use console::Style;

use crate::client::{ExecutionView, SessionRow, SessionView, StageView};
use crate::terminal::sanitize;

/// The report of a session.
pub(crate) struct SessionReport<'a>(pub(crate) &'a SessionView);

impl SessionReport<'_> {
    /// Prints the report; headings are bold on a terminal.
    pub(crate) fn print(&self) -> anyhow::Result<()> {
        let mut out = std::io::stdout();
        let text = self.to_string();
        // On a terminal the progress is printed above the report.
        let shown = if out.is_terminal() { format!("\n{}", with_headings(&sanitize(&text))) } else { text };
        write!(out, "{shown}").context("writing the report")
    }
}

impl Display for SessionReport<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        let Self(session) = self;
        let row = &session.row;
        writeln!(formatter, "# {}: {}\n\n{}", row.alert_type, readable(row.status.as_str()), figures(row))?;
        if let Some(summary) = &session.executive_summary {
            writeln!(formatter, "\n**Summary:** {}", summary.trim())?;
        }
        if let Some(error) = &row.error_message {
            writeln!(formatter, "\n**Error:** {}", error.trim())?;
        }
        failures(session).try_for_each(|failure| write!(formatter, "\n- {failure}"))?;
        if failures(session).next().is_some() {
            writeln!(formatter)?;
        }
        match &session.final_analysis {
            Some(analysis) => writeln!(formatter, "\n{}", analysis.trim()),
            None => writeln!(formatter, "\nNo analysis is available."),
        }
    }
}

fn figures(row: &SessionRow) -> String {
    let mut text = format!("Session {}, chain {}", row.session_id, row.chain_id);
    if let (Some(from), Some(to)) = (row.started_at_us, row.completed_at_us) {
        let ms = to.as_micros().saturating_sub(from.as_micros()) / 1_000;
        // Writing to a String cannot fail.
        let _ = write!(text, ", {}", duration(u64::try_from(ms).unwrap_or_default()));
    }
    let tokens = row.input_tokens + row.output_tokens;
    let calls = (count(row.llm_interactions, "model call"), count(row.mcp_interactions, "tool call"));
    format!("{text}, {}, {}, {}.", calls.0, calls.1, count(tokens, "token"))
}

/// Returns the errors of stages and executions.
fn failures(session: &SessionView) -> impl Iterator<Item = String> {
    let stage_error = |stage: &StageView| {
        stage
            .error_message
            .as_ref()
            .map(|error| format!("Stage {} {}: {error}", stage.name, readable(stage.status.as_str())))
    };
    let execution_error = |execution: &ExecutionView| {
        execution
            .error_message
            .as_ref()
            .map(|error| format!("{} {}: {error}", execution.agent_name, readable(execution.status.as_str())))
    };
    session.stages.iter().filter_map(stage_error).chain(session.all_executions().filter_map(execution_error))
}

/// Formats a status for people.
fn readable(status: &str) -> String {
    status.replace('_', " ")
}

/// Formats a number with its unit in singular or plural.
pub(super) fn count(number: u64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{} {what}s", grouped(number)),
    }
}

/// Formats a number with thousands separators, as 54,591.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let indexed = digits.chars().enumerate();
    let comma = |index: usize| index > 0 && (digits.len() - index).is_multiple_of(3);
    indexed.flat_map(|(index, digit)| comma(index).then_some(',').into_iter().chain([digit])).collect()
}

/// Formats a duration with a suitable unit.
pub(crate) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        60_000..3_600_000 => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
        _ => format!("{} h {} min", ms / 3_600_000, ms % 3_600_000 / 60_000),
    }
}

/// Makes headings bold.
fn with_headings(text: &str) -> String {
    let bold = Style::new().bold();
    let lines = text.lines().map(|line| match line.starts_with('#') {
        true => format!("{}\n", bold.apply_to(line)),
        false => format!("{line}\n"),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture::session;
    use super::*;

    #[test]
    fn a_report_starts_with_the_result() {
        let expected = "# ShopDown: completed

Session 01a1e091-4f01-7082-aa51-081012474901, chain shop, 42.2 s, 1 model call, 13 tool calls, 54,591 tokens.

**Summary:** It is the cache.

## Cause

The cache.
";
        assert_eq!(SessionReport(&session(&json!({}))).to_string(), expected);
    }

    #[test]
    fn a_report_lists_errors() {
        let failed = session(&json!({
            "status": "failed", "error_message": "No stage succeeded.", "executive_summary": null, "final_analysis": null,
            "stages": [{
                "stage_id": "01a1e091-4f01-7082-aa51-081012474902", "name": "look", "status": "failed", "agents": ["Looker"],
                "duration_ms": 5, "error_message": "Looker failed",
                "executions": [{
                    "execution_id": "01a1e091-4f01-7082-aa51-081012474903", "agent_name": "Looker", "status": "timed_out",
                    "duration_ms": 5, "error_message": "the model is too slow", "llm_interactions": 1, "mcp_interactions": 0,
                }],
            }],
        }));
        let report = SessionReport(&failed).to_string();
        let expected = "**Error:** No stage succeeded.

- Stage look failed: Looker failed
- Looker timed out: the model is too slow

No analysis is available.
";
        assert!(report.ends_with(expected), "{report}");
    }

    #[test]
    fn a_duration_has_a_suitable_unit() {
        for (ms, expected) in [(7, "7 ms"), (1_250, "1.2 s"), (61_000, "1 min 1 s"), (3_660_000, "1 h 1 min")]
        {
            assert_eq!(duration(ms), expected);
        }
    }
}
