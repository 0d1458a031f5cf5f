//! Recorded model and tool calls, including failed ones: the journal from which a run is rebuilt.
//!
//! Requests, responses and results are stored verbatim. Only steps insert them.

use tarsy_domain::{
    ExecutionId, InteractionId, LlmCallKind, LlmErrorKind, SessionId, Timestamp, TokenUsage, ToolResult,
    ToolRunKind,
};

use crate::db::row::DbRow;
use crate::db::sql::{Sql, sql};
use crate::json::encode_json;
use crate::step::llm_response::LlmResponse;
use crate::step::write_context::WriteContext;
use crate::{Store, StoreError};

/// A model call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LlmCall {
    /// Its id.
    pub interaction_id: InteractionId,
    /// The purpose of the call.
    pub kind: LlmCallKind,
    /// The iteration of the agent loop, from 1.
    pub iteration: u64,
    /// The name of the configured provider.
    pub provider: String,
    /// The vendor's model name.
    pub model: String,
    /// When it started.
    pub started_at: Timestamp,
    /// How long it took.
    pub duration_ms: u64,
    /// The tokens it used.
    pub usage: TokenUsage,
    /// The request, as JSON text.
    pub request: String,
    /// The outcome; `None` only in rows of versions that did not record it.
    pub response: Option<LlmResponse>,
    /// The kind of the error, if it failed.
    pub error_kind: Option<LlmErrorKind>,
    /// The error message, if it failed.
    pub error_message: Option<String>,
}

impl LlmCall {
    /// Returns whether the session was stopped during the call. Its response is then the incomplete reply.
    pub fn was_stopped(&self) -> bool {
        self.error_kind == Some(LlmErrorKind::Stopped)
    }
}

/// A tool call, or the listing of the tools of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRun {
    /// Its id.
    pub interaction_id: InteractionId,
    /// The purpose of the call.
    pub kind: ToolRunKind,
    /// The MCP server.
    pub server: String,
    /// The tool.
    pub tool: Option<String>,
    /// The model's id for the call.
    pub tool_call_id: Option<String>,
    /// When it started.
    pub started_at: Timestamp,
    /// How long it took.
    pub duration_ms: u64,
    /// The arguments, as JSON text.
    pub arguments: Option<String>,
    /// The full result, masked.
    pub result: Option<String>,
    /// The error message, if it failed.
    pub error_message: Option<String>,
    /// The result as the agent received it; `None` until it was delivered.
    pub delivered: Option<ToolResult>,
}

/// A recorded model call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LlmInteraction {
    /// The execution that made it.
    pub execution_id: ExecutionId,
    /// The number of the step within the execution, from 1.
    pub step: u64,
    /// The call.
    pub call: LlmCall,
}

/// A recorded tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpInteraction {
    /// The execution that made it.
    pub execution_id: ExecutionId,
    /// The number of the step within the execution, from 1.
    pub step: u64,
    /// The call.
    pub run: ToolRun,
}

const LLM_COLUMNS: &str = "
    interaction_id, execution_id, step, kind, iteration, provider, model, started_at_us, duration_ms, input_tokens,
    output_tokens, thinking_tokens, cached_tokens, error_kind, error_message, request, response";

const MCP_COLUMNS: &str = "
    interaction_id, execution_id, step, kind, server, tool, tool_call_id, started_at_us, duration_ms, error_message,
    arguments, result, told";

impl Store {
    /// Returns the model calls of a session in the order of recording.
    pub async fn llm_interaction_list(
        &self,
        session_id: SessionId,
    ) -> Result<Vec<LlmInteraction>, StoreError> {
        let mut connection = self.read().await?;
        let rows = sql(format!(
            "select {LLM_COLUMNS}
            from llm_interactions
            where session_id = $1
            order by interaction_id"
        ))
        .bind(session_id)
        .fetch_all(&mut connection)
        .await?;
        rows.iter().map(LlmInteraction::decode).collect()
    }

    /// Returns a model call of a session.
    pub async fn llm_interaction_fetch(
        &self,
        session_id: SessionId,
        interaction_id: InteractionId,
    ) -> Result<Option<LlmInteraction>, StoreError> {
        let mut connection = self.read().await?;
        let row = sql(format!(
            "select {LLM_COLUMNS}
            from llm_interactions
            where session_id = $1
              and interaction_id = $2"
        ))
        .bind(session_id)
        .bind(interaction_id)
        .fetch_optional(&mut connection)
        .await?;
        row.as_ref().map(LlmInteraction::decode).transpose()
    }

    /// Returns the tool calls of a session in the order of recording.
    pub async fn mcp_interaction_list(
        &self,
        session_id: SessionId,
    ) -> Result<Vec<McpInteraction>, StoreError> {
        let mut connection = self.read().await?;
        let rows = sql(format!(
            "select {MCP_COLUMNS}
            from mcp_interactions
            where session_id = $1
            order by interaction_id"
        ))
        .bind(session_id)
        .fetch_all(&mut connection)
        .await?;
        rows.iter().map(McpInteraction::decode).collect()
    }

    /// Returns a tool call of a session.
    pub async fn mcp_interaction_fetch(
        &self,
        session_id: SessionId,
        interaction_id: InteractionId,
    ) -> Result<Option<McpInteraction>, StoreError> {
        let mut connection = self.read().await?;
        let row = sql(format!(
            "select {MCP_COLUMNS}
            from mcp_interactions
            where session_id = $1
              and interaction_id = $2"
        ))
        .bind(session_id)
        .bind(interaction_id)
        .fetch_optional(&mut connection)
        .await?;
        row.as_ref().map(McpInteraction::decode).transpose()
    }
}

pub(crate) fn insert_llm(context: WriteContext, call: &LlmCall, step: u64) -> Result<Sql, StoreError> {
    let response = call.response.as_ref().map(LlmResponse::encode).transpose()?;
    Ok(sql("
        insert into llm_interactions
          (interaction_id, session_id, execution_id, kind, iteration, provider, model, started_at_us, duration_ms,
           input_tokens, output_tokens, thinking_tokens, cached_tokens, error_kind, error_message, request, response,
           step)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)")
    .bind(call.interaction_id)
    .bind(context.session_id)
    .bind(context.execution_id)
    .bind(call.kind.as_str())
    .bind(call.iteration)
    .bind(&call.provider)
    .bind(&call.model)
    .bind(call.started_at)
    .bind(call.duration_ms)
    .bind(call.usage.input_tokens)
    .bind(call.usage.output_tokens)
    .bind(call.usage.thinking_tokens)
    .bind(call.usage.cached_tokens)
    .bind(call.error_kind.map(LlmErrorKind::as_str))
    .bind(call.error_message.as_ref())
    .bind(&call.request)
    .bind(response)
    .bind(step))
}

/// Completes a recorded tool call with the result as the agent received it.
pub(crate) fn deliver(
    session_id: SessionId,
    interaction_id: InteractionId,
    delivered: &ToolResult,
) -> Result<Sql, StoreError> {
    Ok(sql("update mcp_interactions set told = $3 where session_id = $1 and interaction_id = $2")
        .bind(session_id)
        .bind(interaction_id)
        .bind(encode_json("told", delivered)?))
}

pub(crate) fn insert_mcp(context: WriteContext, run: &ToolRun, step: u64) -> Result<Sql, StoreError> {
    let delivered = run.delivered.as_ref().map(|result| encode_json("told", result)).transpose()?;
    Ok(sql("
        insert into mcp_interactions
          (interaction_id, session_id, execution_id, kind, server, tool, tool_call_id, started_at_us, duration_ms,
           error_message, arguments, result, told, step)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)")
    .bind(run.interaction_id)
    .bind(context.session_id)
    .bind(context.execution_id)
    .bind(run.kind.as_str())
    .bind(&run.server)
    .bind(run.tool.as_ref())
    .bind(run.tool_call_id.as_ref())
    .bind(run.started_at)
    .bind(run.duration_ms)
    .bind(run.error_message.as_ref())
    .bind(run.arguments.as_ref())
    .bind(run.result.as_ref())
    .bind(delivered)
    .bind(step))
}

impl LlmInteraction {
    fn decode(row: &DbRow) -> Result<Self, StoreError> {
        let call = LlmCall {
            interaction_id: row.id("interaction_id")?,
            kind: row.parsed("kind")?,
            iteration: row.count("iteration")?,
            provider: row.get("provider")?,
            model: row.get("model")?,
            started_at: row.time("started_at_us")?,
            duration_ms: row.count("duration_ms")?,
            usage: row.usage()?,
            request: row.get("request")?,
            response: LlmResponse::decode(row)?,
            error_kind: row.optional_parsed("error_kind")?,
            error_message: row.get("error_message")?,
        };
        Ok(Self { execution_id: row.id("execution_id")?, step: row.count("step")?, call })
    }
}

impl McpInteraction {
    fn decode(row: &DbRow) -> Result<Self, StoreError> {
        let run = ToolRun {
            interaction_id: row.id("interaction_id")?,
            kind: row.parsed("kind")?,
            server: row.get("server")?,
            tool: row.get("tool")?,
            tool_call_id: row.get("tool_call_id")?,
            started_at: row.time("started_at_us")?,
            duration_ms: row.count("duration_ms")?,
            arguments: row.get("arguments")?,
            result: row.get("result")?,
            delivered: row.optional_json("told")?,
            error_message: row.get("error_message")?,
        };
        Ok(Self { execution_id: row.id("execution_id")?, step: row.count("step")?, run })
    }
}
