//! Exports traces of investigations over OTLP.
//!
//! The standard variables of OpenTelemetry apply: the endpoint is read here, through the configuration crate; the library
//! reads the others (headers, sampling, batch sizes). A separate thread exports, so that exporting and investigations do
//! not delay each other, and the last spans are sent before the process exits.

use std::time::Duration;

use anyhow::Context;
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithTonicConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tarsy_config::Environment;
use tarsy_engine::{CALL_SPANS, WORK_SPANS};
use tokio::runtime::{Builder, Runtime};
use tonic::transport::ClientTlsConfig;
use tracing::{Metadata, Subscriber, warn};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use crate::version::VERSION;
use conventions::ConventionExporter;

mod conventions;

/// The variables with the endpoint, the more specific one first.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
const SERVICE_NAME: &str = "OTEL_SERVICE_NAME";
/// How long the process waits for the last spans when it exits.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The trace exporter.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    /// The runtime of the exporting thread.
    runtime: Runtime,
}

impl Traces {
    /// Starts exporting if the environment names an endpoint.
    pub(crate) fn start(environment: &Environment) -> anyhow::Result<Option<Self>> {
        let named = ENDPOINTS.into_iter().find(|name| environment.has(name));
        let Some((variable, address)) = named.and_then(|name| Some((name, environment.get(name)?))) else {
            return Ok(None);
        };
        let runtime =
            Builder::new_multi_thread().worker_threads(1).thread_name("tarsy-traces").enable_all().build();
        let runtime = runtime.context("starting the thread that exports traces")?;
        let exporter = {
            let _within = runtime.enter();
            exporter(address).with_context(|| format!("exporting traces to the endpoint in {variable}"))?
        };
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(ConventionExporter::new(exporter))
            .with_resource(resource(environment))
            .build();
        Ok(Some(Self { provider, runtime }))
    }

    /// Returns the layer that receives the spans.
    pub(crate) fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("tarsy"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(is_exported))
    }

    /// Sends the remaining spans and stops.
    pub(crate) fn finish(self) {
        if let Err(error) = self.provider.shutdown_with_timeout(SHUTDOWN_TIMEOUT) {
            warn!(%error, "remaining traces were not exported");
        }
        self.runtime.shutdown_background();
    }
}

fn is_exported(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && [WORK_SPANS, CALL_SPANS].contains(&metadata.target())
}

fn exporter(address: &str) -> anyhow::Result<SpanExporter> {
    let exporter = SpanExporter::builder().with_tonic().with_endpoint(address);
    let exporter = if address.starts_with("https:") {
        exporter.with_tls_config(ClientTlsConfig::new().with_enabled_roots())
    } else {
        exporter
    };
    Ok(exporter.build()?)
}

/// Returns the resource attributes. A service name in the environment overrides the default.
fn resource(environment: &Environment) -> Resource {
    let resource = Resource::builder().with_attribute(KeyValue::new("service.version", VERSION));
    let resource = if environment.has(SERVICE_NAME) { resource } else { resource.with_service_name("tarsy") };
    resource.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(variables: &[(&str, &str)]) -> anyhow::Result<bool> {
        let environment = variables.iter().copied().collect();
        Ok(Traces::start(&environment)?.map(Traces::finish).is_some())
    }

    #[test]
    fn exports_only_if_the_environment_names_an_endpoint() {
        assert!(!started(&[]).unwrap());
        assert!(!started(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "")]).unwrap());
        assert!(started(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317")]).unwrap());
        assert!(started(&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://127.0.0.1:4317")]).unwrap());
    }

    #[test]
    fn the_error_for_an_invalid_endpoint_names_its_variable() {
        let failure = started(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "not an address")]).unwrap_err();
        let error = format!("{failure:#}");
        assert!(
            error.starts_with("exporting traces to the endpoint in OTEL_EXPORTER_OTLP_ENDPOINT: "),
            "{error}"
        );
    }
}
