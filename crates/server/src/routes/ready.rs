//! `GET /ready`: whether this process can take and work on alerts.
//!
//! That needs the database and workers. MCP servers and providers are told but decide nothing: one that is down would
//! otherwise take every replica away from those who only want to read. It is for anybody, so it tells no reasons.

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

/// Whoever asks does not wait long: an answer that comes later counts as none.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether the process can take and work on alerts.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct ReadyResponse {
    status: Readiness,
    database: DatabaseState,
    workers: Workers,
    mcp_servers: Vec<ReadyServer>,
    providers: Vec<ReadyProvider>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Readiness {
    /// It can.
    Ready,
    /// It cannot, or not yet.
    NotReady,
    /// It is about to end.
    Stopping,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DatabaseState {
    /// It answers.
    Reachable,
    /// It does not, or not in time; the log says why.
    Unreachable,
}

/// An MCP server.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct ReadyServer {
    name: String,
    state: McpServerState,
}

/// A model provider.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct ReadyProvider {
    name: String,
    /// Whether it has all that it needs.
    usable: bool,
}

/// Tells whether this process can take and work on alerts.
#[utoipa::path(
    get, path = "/ready", tag = "system",
    responses(
        (status = 200, description = "It can.", body = ReadyResponse),
        (status = 503, description = "It cannot: the database does not answer, no worker runs, or it is stopping.", body = ReadyResponse)
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
        Ok(Err(error)) => warn!(%error, "not ready: the database does not answer"),
        Err(_) => warn!(timeout_ms = DATABASE_TIMEOUT.as_millis(), "not ready: the database is slow"),
    }
    DatabaseState::Unreachable
}

/// A process without workers is one that only serves: it is as ready as its database.
fn readiness(is_stopping: bool, database: DatabaseState, workers: Workers) -> Readiness {
    let has_its_workers = workers.configured == 0 || workers.running > 0;
    match (is_stopping, database) {
        (true, _) => Readiness::Stopping,
        (false, DatabaseState::Reachable) if has_its_workers => Readiness::Ready,
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
    fn the_database_and_workers_decide() {
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
