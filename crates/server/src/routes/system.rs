//! `/api/v1/system`: how the parts around the investigations are doing, for people.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::App;
use crate::system::{McpServerReport, SystemWarning};

/// The MCP servers of the configuration.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct McpServersResponse {
    mcp_servers: Vec<McpServerReport>,
}

/// The configuration as it holds.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConfigResponse {
    /// Every section with its defaults. A variable is shown by its name, a secret not at all.
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    config: Value,
}

/// What people should know.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WarningsResponse {
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

/// Shows the configuration, without secrets.
#[utoipa::path(
    get, path = "/api/v1/system/config", tag = "system",
    responses((status = 200, description = "The configuration.", body = ConfigResponse))
)]
pub(crate) async fn fetch_config(State(app): State<App>) -> Json<ConfigResponse> {
    Json(ConfigResponse { config: app.config.view() })
}

/// Lists what people should know: of the configuration, servers, providers and prompts.
#[utoipa::path(
    get, path = "/api/v1/system/warnings", tag = "system",
    responses((status = 200, description = "The warnings; none if all is well.", body = WarningsResponse))
)]
pub(crate) async fn list_warnings(State(app): State<App>) -> Json<WarningsResponse> {
    Json(WarningsResponse { warnings: (app.reporter)().warnings })
}
