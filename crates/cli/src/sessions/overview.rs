//! The overview of a session: its stages and executions.

use std::fmt::{Display, Formatter, Result};

use crate::client::{ExecutionView, SessionView};
use crate::terminal::single_line;
use crate::watch::duration;

/// The maximum length of a text.
const TEXT_CHARACTERS: usize = 160;

/// The overview of a session.
pub(super) struct SessionOverview<'a>(pub(super) &'a SessionView);

impl Display for SessionOverview<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        let Self(session) = self;
        let row = &session.row;
        writeln!(
            formatter,
            "{} {} ({})",
            row.session_id,
            row.status,
            single_line(&row.alert_type, TEXT_CHARACTERS)
        )?;
        if let Some(author) = &row.author {
            writeln!(formatter, "submitted by {}", single_line(author, TEXT_CHARACTERS))?;
        }
        if let Some(step) = &row.current_step {
            writeln!(formatter, "current step: {}", single_line(step, TEXT_CHARACTERS))?;
        }
        for stage in &session.stages {
            writeln!(formatter, "  {} {}{}", stage.name, stage.status, took(stage.duration_ms))?;
            stage
                .executions
                .iter()
                .try_for_each(|execution| write_execution(formatter, "    ", execution))?;
        }
        session.executions.iter().try_for_each(|execution| write_execution(formatter, "  ", execution))?;
        writeln!(formatter)
    }
}

fn write_execution(formatter: &mut Formatter<'_>, indent: &str, execution: &ExecutionView) -> Result {
    let ExecutionView { agent_name, status, llm_interactions, mcp_interactions, .. } = execution;
    let calls = format!("{llm_interactions} model and {mcp_interactions} tool calls");
    let error = execution.error_message.as_deref();
    let error = error.map(|error| format!(": {}", single_line(error, TEXT_CHARACTERS))).unwrap_or_default();
    writeln!(formatter, "{indent}{agent_name} {status}{}, {calls}{error}", took(execution.duration_ms))
}

fn took(duration_ms: Option<u64>) -> String {
    duration_ms.map(|ms| format!(" after {}", duration(ms))).unwrap_or_default()
}
