//! `/api/v1/sessions/{session_id}/export`: exports a session as a cassette for replay.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, header};
use tarsy_config::Config;
use tarsy_domain::{Cassette, SessionId};
use tarsy_store::{Execution, Store, StoreError};

use super::session::{SessionPath, unknown_session};
use crate::error::ErrorResponse;
use crate::extract::PathParams;
use crate::view::{ExecutionRecords, SessionRecords, cassette_of};
use crate::{ApiError, App};

/// Exports a session as a cassette: its model replies, tool results and outcome.
///
/// Replay the cassette with `tarsy replay`.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/export",
    tag = "sessions",
    params(SessionPath),
    responses(
        (status = 200, description = "The cassette.", body = Cassette),
        (status = 404, description = "The session does not exist.", body = ErrorResponse),
    )
)]
pub(crate) async fn export_session(
    State(app): State<App>,
    PathParams(SessionPath { session_id }): PathParams<SessionPath>,
) -> Result<([(HeaderName, String); 1], Json<Cassette>), ApiError> {
    let cassette = export(&app.store, &app.config, session_id).await?;
    let name = format!("attachment; filename=\"tarsy-{session_id}.cassette.json\"");
    Ok(([(header::CONTENT_DISPOSITION, name)], Json(cassette)))
}

/// Exports a session as a cassette. Data that is not recorded, such as the instructions of MCP servers, is
/// taken from the configuration.
pub async fn export(store: &Store, config: &Config, session_id: SessionId) -> Result<Cassette, ApiError> {
    let unknown = || unknown_session(session_id);
    let records = SessionRecords {
        session: store.session_fetch(session_id).await?.ok_or_else(unknown)?,
        input: store.session_input_fetch(session_id).await?.ok_or_else(unknown)?,
        runbook: store.runbook_fetch(session_id).await?.unwrap_or_default(),
        stages: store.stage_list(session_id).await?,
        executions: executions(store, store.execution_list(session_id).await?).await?,
        model_calls: store.llm_interaction_list(session_id).await?,
        tool_calls: store.mcp_interaction_list(session_id).await?,
    };
    Ok(cassette_of(&records, config)?)
}

async fn executions(store: &Store, list: Vec<Execution>) -> Result<Vec<ExecutionRecords>, StoreError> {
    let mut executions = Vec::new();
    for execution in list {
        let id = execution.identity.execution_id;
        let setup = store.setup_fetch(id).await?;
        let messages = store.message_list(id).await?.into_iter();
        let messages = messages.map(|recorded| recorded.message.message).collect();
        executions.push(ExecutionRecords::read(execution, setup.as_deref(), messages)?);
    }
    Ok(executions)
}
