//! Metrics of the server, and the rendering of all metrics of the process.
//!
//! Only requests, WebSockets and feeds are counted here. Everything else is read when metrics are scraped:
//! from the database, from the store's counters and from the system report ([`MetricsSnapshot`]).

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use tokio::time::Instant;

mod calls;
mod label;
mod snapshot;

pub(crate) use snapshot::MetricsSnapshot;

/// Histogram bounds in seconds, from a read of one row to the request timeout.
const REQUEST_BOUNDS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5, 30.0];

/// The metrics that the server counts. Cheap to clone; all clones share the counters.
#[derive(Clone)]
pub(crate) struct Metrics {
    /// Requests by the time until their response began.
    requests: Family<RequestLabels, Histogram, fn() -> Histogram>,
    /// Open WebSockets.
    sockets: Gauge,
    /// Subscriptions, over WebSockets and as server-sent events.
    feeds: Gauge,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    /// The path template. Empty for unmatched paths, so that clients cannot create arbitrary label values.
    route: String,
    method: &'static str,
    status: u16,
}

/// Increments a gauge until it is dropped.
pub(crate) struct GaugeGuard(Gauge);

impl GaugeGuard {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    pub(crate) fn new() -> Self {
        Self {
            requests: Family::new_with_constructor(|| Histogram::new(REQUEST_BOUNDS)),
            sockets: Gauge::default(),
            feeds: Gauge::default(),
        }
    }

    /// Counts an open WebSocket.
    pub(crate) fn socket(&self) -> GaugeGuard {
        GaugeGuard::new(&self.sockets)
    }

    /// Counts a subscription.
    pub(crate) fn feed(&self) -> GaugeGuard {
        GaugeGuard::new(&self.feeds)
    }
}

/// Middleware that counts a request when its response begins.
pub(crate) async fn count_request(State(metrics): State<Metrics>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let method = known_method(request.method().as_str());
    let started = Instant::now();
    let response = next.run(request).await;
    let labels =
        RequestLabels { route: route.unwrap_or_default(), method, status: response.status().as_u16() };
    metrics.requests.get_or_create(&labels).observe(started.elapsed().as_secs_f64());
    response
}

/// Returns the method, or `other` for nonstandard ones: clients may send arbitrary methods.
fn known_method(method: &str) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method).unwrap_or("other")
}
