//! `GET /ready`: the readiness probe: whether this process can accept and investigate alerts.
//!
//! Readiness requires the database and workers. MCP servers and providers are reported but do not affect
//! readiness: otherwise one that is down would take every replica out of service. The route is public, so the
//! response contains no causes.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use tokio::time::timeout;
use tracing::warn;
use utoipa::ToSchema;

use crate::App;
use crate::system::{McpServerState, SystemReport, Workers};

/// Timeout of the database check, shorter than the timeouts of common probes.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether the process can accept and investigate alerts.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct ReadyResponse {
    /// Whether the process is ready.
    status: Readiness,
    /// Whether the database responds.
    database: DatabaseState,
    /// The workers of this process.
    workers: Workers,
    /// The configured MCP servers. They do not affect readiness.
    mcp_servers: Vec<ReadyServer>,
    /// The configured model providers. They do not affect readiness.
    providers: Vec<ReadyProvider>,
}

/// The readiness of the process.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Readiness {
    /// The process accepts and investigates alerts.
    Ready,
    /// The database does not respond, or no worker runs.
    NotReady,
    /// The process is shutting down.
    Stopping,
}

/// The state of the database.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DatabaseState {
    /// The database responds.
    Reachable,
    /// The database does not respond in time; see the server log.
    Unreachable,
}

/// The state of an MCP server.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct ReadyServer {
    /// Id of the server.
    name: String,
    /// Whether the server can be used.
    state: McpServerState,
}

/// The state of a model provider.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct ReadyProvider {
    /// Name of the provider.
    name: String,
    /// Whether all credentials and settings that it needs are present.
    usable: bool,
}

/// Reports whether this process can accept and investigate alerts.
#[utoipa::path(
    get, path = "/ready", tag = "system",
    responses(
        (status = 200, description = "The process is ready.", body = ReadyResponse),
        (status = 503, description = "The database does not respond, no worker runs, or the process is shutting down.", body = ReadyResponse)
    )
)]
pub(crate) async fn ready(State(app): State<App>) -> (StatusCode, Json<ReadyResponse>) {
    let database = database_state(&app).await;
    let report = (app.reporter)();
    let readiness = readiness(app.stopping.is_cancelled(), database, report.workers);
    let status = match readiness {
        Readiness::Ready => StatusCode::OK,
        Readiness::NotReady | Readiness::Stopping => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, Json(ReadyResponse::new(readiness, database, report)))
}

async fn database_state(app: &App) -> DatabaseState {
    match timeout(DATABASE_TIMEOUT, app.store.database_ping()).await {
        Ok(Ok(())) => return DatabaseState::Reachable,
        Ok(Err(error)) => warn!(%error, "not ready: the database check failed"),
        Err(_) => warn!(timeout_ms = DATABASE_TIMEOUT.as_millis(), "not ready: the database check timed out"),
    }
    DatabaseState::Unreachable
}

/// Computes the readiness. A process that is configured without workers only needs its database.
fn readiness(is_stopping: bool, database: DatabaseState, workers: Workers) -> Readiness {
    let has_workers = workers.configured == 0 || workers.running > 0;
    match (is_stopping, database) {
        (true, _) => Readiness::Stopping,
        (false, DatabaseState::Reachable) if has_workers => Readiness::Ready,
        (false, DatabaseState::Reachable | DatabaseState::Unreachable) => Readiness::NotReady,
    }
}

impl ReadyResponse {
    fn new(status: Readiness, database: DatabaseState, report: SystemReport) -> Self {
        let servers = report.mcp_servers.into_iter();
        let providers = report.providers.into_iter();
        Self {
            status,
            database,
            workers: report.workers,
            mcp_servers: servers
                .map(|server| ReadyServer { name: server.name, state: server.state })
                .collect(),
            providers: providers
                .map(|provider| ReadyProvider { usable: provider.is_usable(), name: provider.name })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readiness_depends_on_database_and_workers() {
        use DatabaseState::{Reachable, Unreachable};
        let workers = |configured, running| Workers { configured, running, busy: 0 };
        let cases = [
            (false, Reachable, workers(5, 5), Readiness::Ready),
            (false, Reachable, workers(0, 0), Readiness::Ready),
            (false, Reachable, workers(5, 0), Readiness::NotReady),
            (false, Unreachable, workers(5, 5), Readiness::NotReady),
            (true, Reachable, workers(5, 5), Readiness::Stopping),
        ];
        for (is_stopping, database, workers, expected) in cases {
            assert_eq!(readiness(is_stopping, database, workers), expected, "{database:?} {workers:?}");
        }
    }
}
