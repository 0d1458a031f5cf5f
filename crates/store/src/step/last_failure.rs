//! The last model call of an execution, if it failed: when the wait before the next call started.

use std::time::Duration;

use tarsy_domain::{ExecutionId, LlmCallKind, LlmErrorKind, ModelFailure, Timestamp};

use crate::db::sql::sql;
use crate::step::llm_response::LlmResponse;
use crate::{Store, StoreError};

/// A recorded model call that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedFailure {
    /// The provider that was called last.
    pub provider: String,
    /// The failure.
    pub failure: ModelFailure,
    /// When the call ended.
    pub ended_at: Timestamp,
}

impl Store {
    /// Returns the last model call of an execution if it failed, without the calls that summarize tool results.
    pub async fn last_failure_fetch(
        &self,
        execution_id: ExecutionId,
    ) -> Result<Option<RecordedFailure>, StoreError> {
        let mut connection = self.read().await?;
        let row = sql("
            select interaction_id, provider, started_at_us, duration_ms, response, error_kind
            from llm_interactions
            where execution_id = $1
              and kind <> $2
              and (error_kind is null or error_kind <> $3)
            order by step desc
            limit 1")
        .bind(execution_id)
        .bind(LlmCallKind::ToolSummary.as_str())
        .bind(LlmErrorKind::Stopped.as_str())
        .fetch_optional(&mut connection)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let failure = match LlmResponse::decode(&row)? {
            Some(LlmResponse::Failure(failure)) => failure,
            Some(LlmResponse::Reply(_)) | None => return Ok(None),
        };
        let (started_at, duration_ms) = (row.time("started_at_us")?, row.count("duration_ms")?);
        let ended_at = started_at.after(Duration::from_millis(duration_ms));
        Ok(Some(RecordedFailure { provider: row.get("provider")?, failure, ended_at }))
    }
}
