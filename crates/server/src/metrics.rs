//! What the server counts while it serves, and how all numbers of the process are shown.
//!
//! Only what nobody else can know is counted here: requests, sockets and feeds. Everything else is read when somebody
//! asks, from the record, from the store's tally and from the report of what works beside the server ([`Reading`]).

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
mod reading;

pub(crate) use reading::Reading;

/// Bounds in seconds, from a read of one row to the longest that a request may take.
const REQUEST_BOUNDS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5, 30.0];

/// What the server counts. Cheap to clone; all clones count together.
#[derive(Clone)]
pub(crate) struct Metrics {
    /// Requests by how long their answer took to begin.
    requests: Family<RequestLabels, Histogram, fn() -> Histogram>,
    /// Open sockets.
    sockets: Gauge,
    /// Channels that somebody follows, over sockets and as server-sent events.
    feeds: Gauge,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    /// The address with its variables by name. What leads nowhere has none: whoever asks makes such addresses up.
    route: String,
    method: &'static str,
    status: u16,
}

/// Counts something that is there, until it is dropped.
pub(crate) struct Counted(Gauge);

impl Counted {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
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

    /// A socket is open.
    pub(crate) fn socket(&self) -> Counted {
        Counted::new(&self.sockets)
    }

    /// Somebody follows a channel.
    pub(crate) fn feed(&self) -> Counted {
        Counted::new(&self.feeds)
    }
}

/// Counts a request, once its answer begins.
pub(crate) async fn count_request(State(metrics): State<Metrics>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let method = known_method(request.method().as_str());
    let began = Instant::now();
    let response = next.run(request).await;
    let labels =
        RequestLabels { route: route.unwrap_or_default(), method, status: response.status().as_u16() };
    metrics.requests.get_or_create(&labels).observe(began.elapsed().as_secs_f64());
    response
}

/// Methods can be made up; those are not told apart.
fn known_method(method: &str) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method).unwrap_or("other")
}
