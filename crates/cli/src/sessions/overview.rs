//! How a session stands: its stages, and who did what in them.

use std::fmt::{Display, Formatter, Result};

use crate::client::{AgentWork, SessionView};
use crate::terminal::line_of;
use crate::watch::duration;

/// How much of a text is shown on a line.
const TEXT_CHARACTERS: usize = 160;

/// How a session stands.
pub(super) struct Overview<'a>(pub(super) &'a SessionView);

impl Display for Overview<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        let Self(session) = self;
        let row = &session.row;
        writeln!(
            formatter,
            "{} {} ({})",
            row.session_id,
            row.status,
            line_of(&row.alert_type, TEXT_CHARACTERS)
        )?;
        if let Some(author) = &row.author {
            writeln!(formatter, "sent by {}", line_of(author, TEXT_CHARACTERS))?;
        }
        if let Some(step) = &row.current_step {
            writeln!(formatter, "now: {}", line_of(step, TEXT_CHARACTERS))?;
        }
        for stage in &session.stages {
            writeln!(formatter, "  {} {}{}", stage.name, stage.status, took(stage.duration_ms))?;
            stage.executions.iter().try_for_each(|work| write_work(formatter, "    ", work))?;
        }
        session.executions.iter().try_for_each(|work| write_work(formatter, "  ", work))?;
        writeln!(formatter)
    }
}

fn write_work(formatter: &mut Formatter<'_>, indent: &str, work: &AgentWork) -> Result {
    let AgentWork { agent_name, status, llm_interactions, mcp_interactions, .. } = work;
    let calls = format!("{llm_interactions} model and {mcp_interactions} tool calls");
    let why = work.error_message.as_deref().map(|why| format!(": {}", line_of(why, TEXT_CHARACTERS)));
    let why = why.unwrap_or_default();
    writeln!(formatter, "{indent}{agent_name} {status}{}, {calls}{why}", took(work.duration_ms))
}

fn took(duration_ms: Option<u64>) -> String {
    duration_ms.map(|ms| format!(" after {}", duration(ms))).unwrap_or_default()
}
