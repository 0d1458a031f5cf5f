//! A session: one investigation of one alert, from its submission to its end.
//!
//! This file defines and reads it. `submission` creates sessions, `ending` cancels and ends them, `list`
//! lists them, and working on one requires a lease from `queue`.

pub(crate) mod ending;
pub(crate) mod filter_options;
pub(crate) mod firing;
pub(crate) mod list;
pub(crate) mod masked_values;
pub(crate) mod note;
pub(crate) mod numbered_page;
pub(crate) mod retention;
pub(crate) mod runbook;
pub(crate) mod search;
pub(crate) mod sort;
pub(crate) mod status_change;
pub(crate) mod submission;

use std::time::Duration;

use tarsy_domain::{SessionId, SessionStatus, Timestamp, TokenUsage};

use crate::db::row::DbRow;
use crate::db::sql::sql;
use crate::{Store, StoreError};

/// A session without the large texts of its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub session_id: SessionId,
    /// The sender's id of the alert, or a generated one.
    pub alert_id: String,
    /// The type of the alert, which selected the chain.
    pub alert_type: String,
    /// The chain that investigates it.
    pub chain_id: String,
    /// The sender, if known.
    pub author: Option<String>,
    /// Its status.
    pub status: SessionStatus,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When a worker first claimed it.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// When its cancellation was requested.
    pub cancel_requested_at: Option<Timestamp>,
    /// Total time between its start and its end in which no worker held it, because its worker was lost.
    pub interrupted: Duration,
    /// Who requested its cancellation.
    pub cancel_requested_by: Option<String>,
    /// The worker that holds it or held it last.
    pub worker: Option<String>,
    /// A description of the current activity.
    pub current_step: Option<String>,
    /// Why it failed, if it did.
    pub error_message: Option<String>,
    /// The executive summary.
    pub executive_summary: Option<String>,
    /// The final analysis.
    pub final_analysis: Option<String>,
    /// Number of stages of its chain.
    pub stages_total: u64,
    /// Number of stages that have ended, with any status.
    pub stages_done: u64,
    /// Number of stages that failed, timed out or were cancelled.
    pub stages_failed: u64,
    /// Number of recorded model calls.
    pub llm_interactions: u64,
    /// Number of recorded tool calls.
    pub mcp_interactions: u64,
    /// Number of timeline entries.
    pub timeline_events: u64,
    /// Tokens of all its model calls.
    pub usage: TokenUsage,
}

/// The input of a session. It never changes, except for `masked_values`, which grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInput {
    /// The text of the alert, verbatim except for masked secrets.
    pub alert_data: String,
    /// The URL or the text of the runbook.
    pub runbook: Option<String>,
    /// The MCP servers that the alert selects, as JSON text.
    pub mcp_selection: Option<String>,
    /// A text that identifies the Slack message that the alert comes from.
    pub slack_message_fingerprint: Option<String>,
    /// The resolved chain at submission, as JSON text.
    pub chain_snapshot: String,
    /// The ledger of masked secrets as JSON text, with digests instead of the secrets; `None` if nothing was
    /// masked.
    pub masked_values: Option<String>,
}

pub(crate) const COLUMNS: &str = "
    session_id, alert_id, alert_type, chain_id, author, status, created_at_us, started_at_us, completed_at_us,
    cancel_requested_at_us, cancel_requested_by, interrupted_us, worker, stages_total, stages_done, stages_failed,
    llm_interactions, mcp_interactions, timeline_events, input_tokens, output_tokens, thinking_tokens,
    cached_tokens, current_step, error_message, executive_summary, final_analysis";

impl Store {
    /// Returns a session.
    pub async fn session_fetch(&self, session_id: SessionId) -> Result<Option<Session>, StoreError> {
        let mut connection = self.read().await?;
        let row = sql(format!("select {COLUMNS} from sessions where session_id = $1"))
            .bind(session_id)
            .fetch_optional(&mut connection)
            .await?;
        row.as_ref().map(Session::decode).transpose()
    }

    /// Returns the session of the alert with the sender's id `alert_id`.
    pub async fn session_fetch_by_alert(&self, alert_id: &str) -> Result<Option<Session>, StoreError> {
        let mut connection = self.read().await?;
        let row = sql(format!("select {COLUMNS} from sessions where alert_id = $1"))
            .bind(alert_id)
            .fetch_optional(&mut connection)
            .await?;
        row.as_ref().map(Session::decode).transpose()
    }

    /// Returns the input of a session.
    pub async fn session_input_fetch(
        &self,
        session_id: SessionId,
    ) -> Result<Option<SessionInput>, StoreError> {
        let mut connection = self.read().await?;
        let row = sql("
            select alert_data, runbook, mcp_selection, slack_message_fingerprint, chain_snapshot,
              masked_values.record as masked_values
            from session_inputs
            left join masked_values on masked_values.session_id = session_inputs.session_id
            where session_inputs.session_id = $1")
        .bind(session_id)
        .fetch_optional(&mut connection)
        .await?;
        row.as_ref().map(SessionInput::decode).transpose()
    }
}

impl Session {
    pub(crate) fn decode(row: &DbRow) -> Result<Self, StoreError> {
        Ok(Self {
            session_id: row.id("session_id")?,
            alert_id: row.get("alert_id")?,
            alert_type: row.get("alert_type")?,
            chain_id: row.get("chain_id")?,
            author: row.get("author")?,
            status: row.parsed("status")?,
            created_at: row.time("created_at_us")?,
            started_at: row.optional_time("started_at_us")?,
            completed_at: row.optional_time("completed_at_us")?,
            cancel_requested_at: row.optional_time("cancel_requested_at_us")?,
            cancel_requested_by: row.get("cancel_requested_by")?,
            interrupted: Duration::from_micros(row.count("interrupted_us")?),
            worker: row.get("worker")?,
            current_step: row.get("current_step")?,
            error_message: row.get("error_message")?,
            executive_summary: row.get("executive_summary")?,
            final_analysis: row.get("final_analysis")?,
            stages_total: row.count("stages_total")?,
            stages_done: row.count("stages_done")?,
            stages_failed: row.count("stages_failed")?,
            llm_interactions: row.count("llm_interactions")?,
            mcp_interactions: row.count("mcp_interactions")?,
            timeline_events: row.count("timeline_events")?,
            usage: row.usage()?,
        })
    }
}

impl SessionInput {
    fn decode(row: &DbRow) -> Result<Self, StoreError> {
        Ok(Self {
            alert_data: row.get("alert_data")?,
            runbook: row.get("runbook")?,
            mcp_selection: row.get("mcp_selection")?,
            slack_message_fingerprint: row.get("slack_message_fingerprint")?,
            chain_snapshot: row.get("chain_snapshot")?,
            masked_values: row.get("masked_values")?,
        })
    }
}
