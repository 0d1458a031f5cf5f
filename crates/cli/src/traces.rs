//! Traces of investigations, sent over OTLP to whoever the environment names.
//!
//! The usual variables of OpenTelemetry hold: the address is read here, through the configuration crate; what else there
//! is (headers, sampling, sizes of batches) the library reads itself. Sending has a thread of its own, so that it neither
//! waits for investigations nor keeps them waiting, and goes on until the last span is out.

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
use conventions::Conforming;

mod conventions;

/// The variables that name an address, the more special one first.
const ADDRESSES: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
const SERVICE_NAME: &str = "OTEL_SERVICE_NAME";
/// How long the end of the process waits for the last spans.
const LAST_SPANS: Duration = Duration::from_secs(5);

/// The sending of traces.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    /// Where they are sent from.
    runtime: Runtime,
}

impl Traces {
    /// Begins to send traces, if the environment says where to.
    pub(crate) fn start(environment: &Environment) -> anyhow::Result<Option<Self>> {
        let named = ADDRESSES.into_iter().find(|name| environment.has(name));
        let Some((variable, address)) = named.and_then(|name| Some((name, environment.get(name)?))) else {
            return Ok(None);
        };
        let runtime =
            Builder::new_multi_thread().worker_threads(1).thread_name("tarsy-traces").enable_all().build();
        let runtime = runtime.context("starting the thread that sends traces")?;
        let exporter = {
            let _within = runtime.enter();
            exporter(address).with_context(|| format!("sending traces to where {variable} says"))?
        };
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(Conforming::new(exporter))
            .with_resource(resource(environment))
            .build();
        Ok(Some(Self { provider, runtime }))
    }

    /// What hears of the spans.
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

    /// Sends what is left, and ends.
    pub(crate) fn finish(self) {
        if let Err(error) = self.provider.shutdown_with_timeout(LAST_SPANS) {
            warn!(%error, "the last traces were not sent");
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

/// Who sends them. A name that the environment gives counts more than ours.
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
    fn traces_are_sent_only_where_the_environment_says() {
        assert!(!started(&[]).unwrap());
        assert!(!started(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "")]).unwrap());
        assert!(started(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317")]).unwrap());
        assert!(started(&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://127.0.0.1:4317")]).unwrap());
    }

    #[test]
    fn an_address_that_is_none_is_told_with_its_variable() {
        let failure = started(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "not an address")]).unwrap_err();
        let told = format!("{failure:#}");
        assert!(told.starts_with("sending traces to where OTEL_EXPORTER_OTLP_ENDPOINT says: "), "{told}");
    }
}
