//! `GET /metrics`: metrics of this process and its database, for Prometheus.

use axum::extract::State;
use axum::http::{HeaderName, header};
use tarsy_domain::Timestamp;

use crate::metrics::MetricsSnapshot;
use crate::{ApiError, App};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Returns metrics of this process and its database.
#[utoipa::path(
    get, path = "/metrics", tag = "system",
    responses((status = 200, description = "The metrics in OpenMetrics format.", content_type = "application/openmetrics-text", body = String))
)]
pub(crate) async fn measure(
    State(app): State<App>,
) -> Result<([(HeaderName, &'static str); 1], String), ApiError> {
    let now = Timestamp::now();
    let snapshot = MetricsSnapshot {
        now,
        sessions: app.store.session_counts().await?,
        queue: app.store.queue_backlog(now).await?,
        load: app.store.database_load(),
        counts: app.store.call_counts(),
        report: (app.reporter)(),
        version: app.version,
    };
    Ok(([(header::CONTENT_TYPE, OPEN_METRICS)], app.metrics.render(&snapshot)))
}
