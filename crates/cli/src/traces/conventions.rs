//! Adapts spans to the conventions of OpenTelemetry, where `tracing` cannot: its span names are static and its fields
//! cannot hold lists.

use std::time::Duration;

use opentelemetry::{Array, KeyValue, StringValue, Value};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};

const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";

/// An exporter that adapts spans to the conventions.
#[derive(Debug)]
pub(super) struct ConventionExporter<E>(E);

impl<E> ConventionExporter<E> {
    pub(super) fn new(exporter: E) -> Self {
        Self(exporter)
    }
}

impl<E: SpanExporter> SpanExporter for ConventionExporter<E> {
    fn export(&self, mut batch: Vec<SpanData>) -> impl Future<Output = OTelSdkResult> + Send {
        batch.iter_mut().for_each(conform);
        self.0.export(batch)
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn shutdown(&self) -> OTelSdkResult {
        self.0.shutdown()
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.0.set_resource(resource);
    }
}

fn conform(span: &mut SpanData) {
    if span.name == "agent" {
        name_agent(span);
    }
    for attribute in &mut span.attributes {
        if attribute.key.as_str() == FINISH_REASONS {
            let reason = StringValue::from(attribute.value.as_str().into_owned());
            attribute.value = Value::Array(Array::String(vec![reason]));
        }
    }
}

fn name_agent(span: &mut SpanData) {
    let named = span.attributes.iter().find(|attribute| attribute.key.as_str() == "agent.name");
    let Some(name) = named.map(|attribute| attribute.value.as_str().into_owned()) else { return };
    span.name = format!("invoke_agent {name}").into();
    span.attributes.push(KeyValue::new("gen_ai.operation.name", "invoke_agent"));
    span.attributes.push(KeyValue::new("gen_ai.agent.name", name));
}
