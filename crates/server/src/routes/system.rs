//! `/api/v1/system`: the state of MCP servers, the configuration, and warnings.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::App;
use crate::system::{McpServerReport, SystemWarning};

/// The configured MCP servers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct McpServersResponse {
    /// The servers.
    mcp_servers: Vec<McpServerReport>,
}

/// The effective configuration.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConfigResponse {
    /// All sections, with defaults applied. Environment variables are shown by name; secrets are hidden.
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    config: Value,
}

/// Problems that an operator should fix.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WarningsResponse {
    /// The warnings.
    warnings: Vec<SystemWarning>,
}

/// Lists the MCP servers with their state and tools.
#[utoipa::path(
    get, path = "/api/v1/system/mcp-servers", tag = "system",
    responses((status = 200, description = "The servers.", body = McpServersResponse))
)]
pub(crate) async fn list_mcp_servers(State(app): State<App>) -> Json<McpServersResponse> {
    Json(McpServersResponse { mcp_servers: (app.reporter)().mcp_servers })
}

/// Returns the effective configuration, without secrets.
#[utoipa::path(
    get, path = "/api/v1/system/config", tag = "system",
    responses((status = 200, description = "The configuration.", body = ConfigResponse))
)]
pub(crate) async fn fetch_config(State(app): State<App>) -> Json<ConfigResponse> {
    Json(ConfigResponse { config: app.config.view() })
}

/// Lists warnings about the configuration, MCP servers, providers and prompts.
#[utoipa::path(
    get, path = "/api/v1/system/warnings", tag = "system",
    responses((status = 200, description = "The warnings; empty if there are none.", body = WarningsResponse))
)]
pub(crate) async fn list_warnings(State(app): State<App>) -> Json<WarningsResponse> {
    Json(WarningsResponse { warnings: (app.reporter)().warnings })
}
