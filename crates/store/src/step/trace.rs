//! The trace of a session: all recorded model and tool calls without their texts, which are in `interaction`.

use tarsy_domain::{
    ExecutionId, InteractionId, LlmCallKind, LlmErrorKind, SessionId, Timestamp, TokenUsage, ToolRunKind,
};

use crate::db::row::DbRow;
use crate::db::sql::sql;
use crate::{Store, StoreError};

/// A recorded call without its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedCall {
    /// Its id.
    pub interaction_id: InteractionId,
    /// The execution that made it.
    pub execution_id: ExecutionId,
    /// The number of the step within the execution, from 1.
    pub step: u64,
    /// When it started.
    pub started_at: Timestamp,
    /// How long it took.
    pub duration_ms: u64,
    /// The error message, if it failed.
    pub error_message: Option<String>,
    /// What was called.
    pub callee: Callee,
}

/// The target of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Callee {
    /// A model.
    Model {
        /// The purpose of the call.
        kind: LlmCallKind,
        /// The iteration of the agent loop, from 1.
        iteration: u64,
        /// The name of the configured provider.
        provider: String,
        /// The vendor's model name.
        model: String,
        /// The tokens it used.
        usage: TokenUsage,
        /// The kind of the error, if it failed.
        error_kind: Option<LlmErrorKind>,
    },
    /// A tool.
    Tool {
        /// The purpose of the call.
        kind: ToolRunKind,
        /// The MCP server.
        server: String,
        /// The tool.
        tool: Option<String>,
        /// The model's id for the call.
        tool_call_id: Option<String>,
    },
}

impl Store {
    /// Returns the calls of a session in the order of their start.
    pub async fn trace_list(&self, session_id: SessionId) -> Result<Vec<TracedCall>, StoreError> {
        let mut connection = self.read().await?;
        let models = sql("
            select interaction_id, execution_id, step, kind, started_at_us, duration_ms, error_message, iteration,
              provider, model, input_tokens, output_tokens, thinking_tokens, cached_tokens, error_kind
            from llm_interactions
            where session_id = $1")
        .bind(session_id)
        .fetch_all(&mut connection)
        .await?;
        let tools = sql("
            select interaction_id, execution_id, step, kind, started_at_us, duration_ms, error_message, server, tool,
              tool_call_id
            from mcp_interactions
            where session_id = $1")
        .bind(session_id)
        .fetch_all(&mut connection)
        .await?;
        let models = models.iter().map(|row| TracedCall::decode(row, Callee::model(row)?));
        let tools = tools.iter().map(|row| TracedCall::decode(row, Callee::tool(row)?));
        let mut calls = models.chain(tools).collect::<Result<Vec<TracedCall>, StoreError>>()?;
        calls.sort_by_key(|call| (call.started_at, call.interaction_id));
        Ok(calls)
    }
}

impl TracedCall {
    fn decode(row: &DbRow, callee: Callee) -> Result<Self, StoreError> {
        Ok(Self {
            interaction_id: row.id("interaction_id")?,
            execution_id: row.id("execution_id")?,
            step: row.count("step")?,
            started_at: row.time("started_at_us")?,
            duration_ms: row.count("duration_ms")?,
            error_message: row.get("error_message")?,
            callee,
        })
    }
}

impl Callee {
    fn model(row: &DbRow) -> Result<Self, StoreError> {
        Ok(Self::Model {
            kind: row.parsed("kind")?,
            iteration: row.count("iteration")?,
            provider: row.get("provider")?,
            model: row.get("model")?,
            usage: row.usage()?,
            error_kind: row.optional_parsed("error_kind")?,
        })
    }

    fn tool(row: &DbRow) -> Result<Self, StoreError> {
        Ok(Self::Tool {
            kind: row.parsed("kind")?,
            server: row.get("server")?,
            tool: row.get("tool")?,
            tool_call_id: row.get("tool_call_id")?,
        })
    }
}
