//! `/api/v1/system/default-tools`: the tools that the agents of a chain use if the alert selects none.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use tarsy_config::{ResolvedAgent, ResolvedChain};
use utoipa::{IntoParams, ToSchema};

use crate::extract::QueryParams;
use crate::{ApiError, App};

/// Query parameters.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DefaultToolsQuery {
    /// The alert type. Defaults to the configured default alert type.
    alert_type: Option<String>,
}

/// The tools that agents use if an alert selects none.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DefaultToolsResponse {
    /// The alert type.
    alert_type: String,
    /// The chain of the alert type.
    chain_id: String,
    /// MCP servers that at least one agent of the chain uses, in alphabetical order.
    mcp_servers: Vec<String>,
    /// Tools of the model vendor that at least one agent of the chain uses.
    native_tools: NativeToolsResponse,
}

/// Tools that run at the model vendor.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct NativeToolsResponse {
    /// Web search.
    google_search: bool,
    /// Execution of code that the model writes.
    code_execution: bool,
    /// Reading of web pages.
    url_context: bool,
}

/// Returns the MCP servers and vendor tools of the chain that handles an alert type.
#[utoipa::path(
    get, path = "/api/v1/system/default-tools", tag = "system", params(DefaultToolsQuery),
    responses((status = 200, description = "The tools.", body = DefaultToolsResponse))
)]
pub(crate) async fn list_default_tools(
    State(app): State<App>,
    QueryParams(query): QueryParams<DefaultToolsQuery>,
) -> Result<Json<DefaultToolsResponse>, ApiError> {
    let default = || app.config.defaults().alert_type.clone();
    let alert_type = query.alert_type.filter(|named| !named.is_empty()).unwrap_or_else(default);
    let chain = app
        .config
        .chain_for_alert_type(&alert_type)
        .map_err(|unknown| ApiError::bad("alert_type", unknown.to_string()))?;
    Ok(Json(default_tools(alert_type, chain)))
}

fn default_tools(alert_type: String, chain: ResolvedChain) -> DefaultToolsResponse {
    let agents: Vec<ResolvedAgent> = chain.stages.into_iter().flat_map(|stage| stage.agents).collect();
    let servers: BTreeSet<&String> = agents.iter().flat_map(|agent| &agent.mcp_servers).collect();
    let is_used =
        |select: fn(&ResolvedAgent) -> Option<bool>| agents.iter().any(|agent| select(agent) == Some(true));
    DefaultToolsResponse {
        alert_type,
        chain_id: chain.id,
        mcp_servers: servers.into_iter().cloned().collect(),
        native_tools: NativeToolsResponse {
            google_search: is_used(|agent| agent.native_tools.google_search),
            code_execution: is_used(|agent| agent.native_tools.code_execution),
            url_context: is_used(|agent| agent.native_tools.url_context),
        },
    }
}
