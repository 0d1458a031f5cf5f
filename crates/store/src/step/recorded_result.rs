//! The tool results of a session without their full texts, from which later prompts are built.

use tarsy_domain::{ExecutionId, InteractionId, SessionId, ToolResult, ToolRunKind};

use crate::db::row::DbRow;
use crate::db::sql::sql;
use crate::{Store, StoreError};

/// A recorded tool result without its full text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedResult {
    /// The execution that made the call.
    pub execution_id: ExecutionId,
    /// The recorded call.
    pub interaction_id: InteractionId,
    /// The model's id for the call.
    pub tool_call_id: Option<String>,
    /// The arguments, as JSON text.
    pub arguments: Option<String>,
    /// Size of the full text in bytes.
    pub bytes: u64,
    /// The result as the agent received it; `None` if it was not delivered.
    pub delivered: Option<ToolResult>,
}

impl Store {
    /// Returns the results of all tool calls of a session, those of one execution in order.
    pub async fn recorded_result_list(
        &self,
        session_id: SessionId,
    ) -> Result<Vec<RecordedResult>, StoreError> {
        let mut connection = self.read().await?;
        let rows = sql("
            select execution_id, interaction_id, tool_call_id, arguments, told,
              cast(coalesce(octet_length(result), 0) as bigint) as result_bytes
            from mcp_interactions
            where session_id = $1
              and kind = $2
            order by execution_id, step")
        .bind(session_id)
        .bind(ToolRunKind::ToolCall.as_str())
        .fetch_all(&mut connection)
        .await?;
        rows.iter().map(RecordedResult::decode).collect()
    }
}

impl RecordedResult {
    fn decode(row: &DbRow) -> Result<Self, StoreError> {
        Ok(Self {
            execution_id: row.id("execution_id")?,
            interaction_id: row.id("interaction_id")?,
            tool_call_id: row.get("tool_call_id")?,
            arguments: row.get("arguments")?,
            bytes: row.count("result_bytes")?,
            delivered: row.optional_json("told")?,
        })
    }
}
