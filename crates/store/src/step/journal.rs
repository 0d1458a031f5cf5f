//! The journal of an execution: its recorded steps, from which a run is rebuilt.

use futures_util::FutureExt;
use tarsy_domain::{
    ExecutionId, InteractionId, LlmCallKind, LlmErrorKind, Message, SessionId, ToolResult, ToolRunKind,
};

use crate::db::connection::DbConnection;
use crate::db::row::DbRow;
use crate::db::sql::sql;
use crate::queue::lease::Lease;
use crate::queue::session_delta::{SessionDelta, advance};
use crate::step::llm_response::LlmResponse;
use crate::{Store, StoreError};

/// The recorded beginning and steps of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal {
    /// The execution.
    pub execution_id: ExecutionId,
    /// The setup of the run, as JSON text.
    pub setup: String,
    /// The conversation, in order.
    pub messages: Vec<Message>,
    /// The steps, in order.
    pub entries: Vec<JournalEntry>,
    /// Tool calls that were started and may have had an effect, as JSON text.
    pub started_calls: Option<String>,
}

/// A recorded step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalEntry {
    /// A model call.
    Model(LlmResponse),
    /// A tool call whose result was delivered to the run.
    Delivered(ToolResult),
    /// A tool call whose result was recorded but not delivered: it still has to be shortened.
    Undelivered {
        /// The recorded call.
        interaction_id: InteractionId,
        /// The model's id for it.
        tool_call_id: String,
        /// The full result, masked.
        result: String,
    },
}

impl Store {
    /// Returns the journal of an execution.
    pub async fn journal_fetch(&self, execution_id: ExecutionId) -> Result<Journal, StoreError> {
        let messages = self.message_list(execution_id).await?;
        let mut connection = self.read().await?;
        let execution = sql("select setup, started_calls from agent_executions where execution_id = $1")
            .bind(execution_id)
            .fetch_optional(&mut connection)
            .await?;
        let missing = || StoreError::NotFound { what: "setup of execution", id: execution_id.to_string() };
        let execution = execution.ok_or_else(missing)?;
        let setup: Option<String> = execution.get("setup")?;
        let started_calls = execution.get("started_calls")?;
        let models = sql("
            select interaction_id, step, kind, response, error_kind
            from llm_interactions
            where execution_id = $1
              and kind <> $2
              and (error_kind is null or error_kind <> $3)")
        .bind(execution_id)
        .bind(LlmCallKind::ToolSummary.as_str())
        .bind(LlmErrorKind::Stopped.as_str())
        .fetch_all(&mut connection)
        .await?;
        let tools = sql("
            select interaction_id, step, tool_call_id, told, result
            from mcp_interactions
            where execution_id = $1
              and kind = $2")
        .bind(execution_id)
        .bind(ToolRunKind::ToolCall.as_str())
        .fetch_all(&mut connection)
        .await?;
        let entries =
            models.iter().map(JournalEntry::of_model).chain(tools.iter().map(JournalEntry::of_tool));
        let mut entries = entries.collect::<Result<Vec<(u64, JournalEntry)>, StoreError>>()?;
        entries.sort_by_key(|(step, _)| *step);
        Ok(Journal {
            execution_id,
            setup: setup.ok_or_else(missing)?,
            messages: messages.into_iter().map(|recorded| recorded.message.message).collect(),
            entries: entries.into_iter().map(|(_, entry)| entry).collect(),
            started_calls,
        })
    }

    /// Returns the setup of the run of an execution, as JSON text.
    pub async fn setup_fetch(&self, execution_id: ExecutionId) -> Result<Option<String>, StoreError> {
        let mut connection = self.read().await?;
        let row = sql("select setup from agent_executions where execution_id = $1")
            .bind(execution_id)
            .fetch_optional(&mut connection)
            .await?;
        row.map_or(Ok(None), |row| row.get("setup"))
    }

    /// Returns the ids of the recorded tool calls of an execution, in order.
    pub async fn tool_call_list(&self, execution_id: ExecutionId) -> Result<Vec<InteractionId>, StoreError> {
        let mut connection = self.read().await?;
        let rows = sql("
            select interaction_id
            from mcp_interactions
            where execution_id = $1
              and kind = $2
            order by step")
        .bind(execution_id)
        .bind(ToolRunKind::ToolCall.as_str())
        .fetch_all(&mut connection)
        .await?;
        rows.iter().map(|row| row.id("interaction_id")).collect()
    }

    /// Returns the full result of a recorded tool call.
    pub async fn tool_result_fetch(
        &self,
        session_id: SessionId,
        interaction_id: InteractionId,
    ) -> Result<Option<String>, StoreError> {
        let mut connection = self.read().await?;
        let row = sql("select result from mcp_interactions where session_id = $1 and interaction_id = $2")
            .bind(session_id)
            .bind(interaction_id)
            .fetch_optional(&mut connection)
            .await?;
        row.map_or(Ok(None), |row| row.get("result"))
    }

    /// Returns whether a model or tool call is recorded.
    pub async fn interaction_exists(
        &self,
        session_id: SessionId,
        interaction_id: InteractionId,
    ) -> Result<bool, StoreError> {
        let mut connection = self.read().await?;
        let found = sql("
            select step from llm_interactions where session_id = $1 and interaction_id = $2
            union all
            select step from mcp_interactions where session_id = $1 and interaction_id = $2")
        .bind(session_id)
        .bind(interaction_id)
        .fetch_optional(&mut connection)
        .await?;
        Ok(found.is_some())
    }

    /// Returns whether the delivery of a tool result to the agent is recorded.
    pub async fn tool_call_is_delivered(
        &self,
        session_id: SessionId,
        interaction_id: InteractionId,
    ) -> Result<bool, StoreError> {
        let mut connection = self.read().await?;
        let delivered = sql("
            select step
            from mcp_interactions
            where session_id = $1
              and interaction_id = $2
              and told is not null")
        .bind(session_id)
        .bind(interaction_id)
        .fetch_optional(&mut connection)
        .await?;
        Ok(delivered.is_some())
    }

    /// Records the tool calls with side effects that are about to start.
    pub async fn tools_started(
        &self,
        lease: Lease,
        execution_id: ExecutionId,
        calls: String,
    ) -> Result<(), StoreError> {
        self.write(move |connection| start(connection, lease, execution_id, calls.clone()).boxed()).await
    }
}

async fn start(
    connection: &mut DbConnection,
    lease: Lease,
    execution_id: ExecutionId,
    calls: String,
) -> Result<(), StoreError> {
    advance(connection, lease, &SessionDelta::default()).await?;
    sql("update agent_executions set started_calls = $3 where execution_id = $1 and session_id = $2")
        .bind(execution_id)
        .bind(lease.session_id)
        .bind(calls)
        .execute(connection)
        .await
}

impl JournalEntry {
    fn of_model(row: &DbRow) -> Result<(u64, Self), StoreError> {
        // A kind that this version does not know could be one that is not part of the journal.
        row.parsed::<LlmCallKind>("kind")?;
        let response = LlmResponse::decode(row)?;
        let response = response.ok_or_else(|| row.corrupt("response", "it is null"))?;
        Ok((row.count("step")?, Self::Model(response)))
    }

    fn of_tool(row: &DbRow) -> Result<(u64, Self), StoreError> {
        let entry = match row.optional_json("told")? {
            Some(result) => Self::Delivered(result),
            None => Self::Undelivered {
                interaction_id: row.id("interaction_id")?,
                tool_call_id: row.get("tool_call_id")?,
                result: row.get("result")?,
            },
        };
        Ok((row.count("step")?, entry))
    }
}
