//! The values that are read for one scrape, and their rendering.

use std::collections::BTreeMap;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use tarsy_domain::{SessionStatus, Timestamp};
use tarsy_store::{CallCounts, DatabaseLoad, QueueBacklog};

use super::Metrics;
use super::calls::CallMetrics;
use super::label::escaped;
use crate::system::{McpServerState, SystemReport};

/// The values of one scrape.
pub(crate) struct MetricsSnapshot {
    pub(crate) now: Timestamp,
    pub(crate) sessions: BTreeMap<SessionStatus, u64>,
    pub(crate) queue: QueueBacklog,
    pub(crate) load: DatabaseLoad,
    pub(crate) counts: CallCounts,
    pub(crate) report: SystemReport,
    pub(crate) version: &'static str,
}

type Labels<const N: usize> = [(&'static str, String); N];

impl Metrics {
    /// Renders all metrics in OpenMetrics format.
    pub(crate) fn render(&self, snapshot: &MetricsSnapshot) -> String {
        let mut registry = Registry::with_prefix("tarsy");
        registry.register(
            "build",
            "Version of the running program",
            Info::new(vec![("version", snapshot.version)]),
        );
        register_sessions(&mut registry, snapshot);
        register_parts(&mut registry, &snapshot.report);
        register_database(&mut registry, snapshot.load);
        registry.register_collector(Box::new(CallMetrics(snapshot.counts.clone())));
        self.register_requests(&mut registry);
        let mut page = String::new();
        // Writing to a string cannot fail.
        let _written = encode(&mut page, &registry);
        page
    }

    fn register_requests(&self, registry: &mut Registry) {
        registry.register_with_unit(
            "http_request_duration",
            "Time until the response began",
            Unit::Seconds,
            self.requests.clone(),
        );
        registry.register("websocket_connections", "Open WebSocket connections", self.sockets.clone());
        registry.register("live_feeds", "Channel subscriptions", self.feeds.clone());
    }
}

fn register_sessions(registry: &mut Registry, snapshot: &MetricsSnapshot) {
    let sessions: Family<Labels<1>, Gauge> = Family::default();
    // A status without sessions is reported as zero, so that its rate can be computed.
    for status in SessionStatus::ALL {
        let count = snapshot.sessions.get(status).copied().unwrap_or_default();
        sessions.get_or_create(&[("status", status.to_string())]).set(signed(count));
    }
    registry.register("sessions", "Sessions by status", sessions);
    let queue = snapshot.queue;
    let wait =
        queue.oldest_since.map_or(0, |since| snapshot.now.as_micros().saturating_sub(since.as_micros()));
    gauge(registry, "queue_sessions", "Queued sessions", queue.sessions);
    registry.register_with_unit(
        "queue_oldest_wait",
        "Age of the oldest queued session",
        Unit::Seconds,
        ConstGauge::new(
            std::time::Duration::from_micros(u64::try_from(wait).unwrap_or_default()).as_secs_f64(),
        ),
    );
}

fn register_parts(registry: &mut Registry, report: &SystemReport) {
    let workers = report.workers;
    gauge(registry, "workers_configured", "Configured workers of this process", workers.configured);
    gauge(registry, "workers_running", "Running workers of this process", workers.running);
    gauge(registry, "workers_busy", "Workers that are processing a session", workers.busy);
    let servers: Family<Labels<1>, Gauge> = Family::default();
    for server in &report.mcp_servers {
        let is_up = !matches!(server.state, McpServerState::Failed | McpServerState::Restarting);
        servers.get_or_create(&[("server", escaped(&server.name))]).set(i64::from(is_up));
    }
    registry.register("mcp_server_up", "1 unless the MCP server is known to be down", servers);
    let providers: Family<Labels<1>, Gauge> = Family::default();
    for provider in &report.providers {
        providers
            .get_or_create(&[("provider", escaped(&provider.name))])
            .set(i64::from(provider.is_usable()));
    }
    registry.register("provider_usable", "1 if the model provider is completely configured", providers);
    gauge(registry, "warnings", "Current system warnings", report.warnings.len() as u64);
}

fn register_database(registry: &mut Registry, load: DatabaseLoad) {
    gauge(registry, "database_connections", "Maximum number of database connections", load.connections);
    gauge(registry, "database_connections_in_use", "Database connections in use", load.connections_in_use);
    gauge(
        registry,
        "database_writes_waiting",
        "Writes that are queued for the SQLite writer",
        load.writes_waiting,
    );
}

fn gauge(registry: &mut Registry, name: &str, help: &str, value: u64) {
    registry.register(name, help, ConstGauge::new(signed(value)));
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
