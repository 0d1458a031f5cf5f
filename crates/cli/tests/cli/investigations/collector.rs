//! An OTLP trace collector that stores the spans it receives.

use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

/// A running collector, stopped when it is dropped.
pub(crate) struct Collector {
    pub(crate) url: String,
    spans: CollectedSpans,
    task: JoinHandle<()>,
}

#[derive(Clone, Default)]
struct CollectedSpans(Arc<Mutex<Vec<Span>>>);

#[tonic::async_trait]
impl TraceService for CollectedSpans {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let scopes =
            request.into_inner().resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
        self.0.lock().unwrap().extend(scopes.flat_map(|scope| scope.spans));
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let spans = CollectedSpans::default();
        let serving = Server::builder().add_service(TraceServiceServer::new(spans.clone()));
        let task = tokio::spawn(async move {
            serving.serve_with_incoming(TcpIncoming::from(listener)).await.unwrap();
        });
        Self { url, spans, task }
    }

    /// Returns all spans, ordered by their end.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let mut spans = self.spans.0.lock().unwrap().clone();
        spans.sort_by_key(|span| span.end_time_unix_nano);
        spans
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Returns an attribute of a span as text.
pub(crate) fn attribute(span: &Span, key: &str) -> Option<String> {
    let found = span.attributes.iter().find(|attribute| attribute.key == key)?;
    Some(format_value(found.value.as_ref()?.value.as_ref()?))
}

#[allow(clippy::wildcard_enum_match_arm, reason = "a foreign enum that may grow")]
fn format_value(value: &Value) -> String {
    match value {
        Value::StringValue(text) => text.clone(),
        Value::IntValue(number) => number.to_string(),
        Value::ArrayValue(list) => {
            let values = list.values.iter().filter_map(|value| value.value.as_ref());
            format!("[{}]", values.map(format_value).collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}
