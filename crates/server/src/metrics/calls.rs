//! Encodes the call counts of the store as Prometheus metrics.

use std::fmt::Error;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;
use tarsy_domain::TokenUsage;
use tarsy_store::{CallCounts, CalledModel, CalledServer, Durations};

use super::label::escaped;

/// The call counts of a store.
#[derive(Debug)]
pub(super) struct CallMetrics(pub(super) CallCounts);

impl Collector for CallMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), Error> {
        self.encode_model_calls(&mut encoder)?;
        self.encode_tokens(&mut encoder)?;
        self.encode_tool_calls(&mut encoder)
    }
}

impl CallMetrics {
    fn encode_model_calls(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let help = "Duration of model calls";
        let mut family = encoder.encode_descriptor(
            "model_call_duration",
            help,
            Some(&Unit::Seconds),
            MetricType::Histogram,
        )?;
        for (called, calls) in &self.0.models {
            let labels = model_labels(called);
            encode_durations(family.encode_family(&labels)?, &calls.durations)?;
        }
        Ok(())
    }

    fn encode_tokens(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let help =
            "Tokens of model calls; cached tokens are part of input, thinking tokens are part of output";
        let mut family = encoder.encode_descriptor("model_tokens", help, None, MetricType::Counter)?;
        for (called, calls) in &self.0.models {
            let [provider, model, outcome] = model_labels(called);
            for (kind, count) in by_kind(calls.usage) {
                let labels = [provider.clone(), model.clone(), outcome.clone(), ("kind", kind.to_owned())];
                let mut counter = family.encode_family(&labels)?;
                counter.encode_counter::<NoLabelSet, u64, u64>(&count, None)?;
            }
        }
        Ok(())
    }

    fn encode_tool_calls(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let help = "Duration of tool calls";
        let mut family = encoder.encode_descriptor(
            "tool_call_duration",
            help,
            Some(&Unit::Seconds),
            MetricType::Histogram,
        )?;
        for (CalledServer { server, outcome }, durations) in &self.0.tools {
            let labels = [("server", escaped(server)), ("outcome", (*outcome).to_owned())];
            encode_durations(family.encode_family(&labels)?, durations)?;
        }
        Ok(())
    }
}

fn model_labels(called: &CalledModel) -> [(&'static str, String); 3] {
    [
        ("provider", escaped(&called.provider)),
        ("model", escaped(&called.model)),
        ("outcome", escaped(called.outcome)),
    ]
}

fn by_kind(usage: TokenUsage) -> [(&'static str, u64); 4] {
    [
        ("input", usage.input_tokens),
        ("output", usage.output_tokens),
        ("thinking", usage.thinking_tokens),
        ("cached", usage.cached_tokens),
    ]
}

fn encode_durations(mut encoder: MetricEncoder<'_>, durations: &Durations) -> Result<(), Error> {
    let bounds = Durations::BOUNDS_MS.iter().map(|bound| seconds(*bound)).chain([f64::INFINITY]);
    let buckets: Vec<(f64, u64)> = bounds.zip(durations.buckets).collect();
    encoder.encode_histogram::<NoLabelSet>(seconds(durations.sum_ms), durations.count(), &buckets, None)
}

fn seconds(milliseconds: u64) -> f64 {
    std::time::Duration::from_millis(milliseconds).as_secs_f64()
}
