//! Counts and durations of the model and tool calls that this process has recorded, for metrics.
//!
//! Calls are counted when their step is recorded: that includes failed calls, needs no query, and does not
//! involve the engine. Counts start at 0 with the process and cover only its own calls, so the counts of
//! several processes can be added up. A write with an unknown outcome that turns out to have succeeded is not
//! counted.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tarsy_domain::{LlmErrorKind, TokenUsage};

use crate::Store;
use crate::step::StepPayload;
use crate::step::interaction::{LlmCall, ToolRun};

/// Maximum number of distinct labels. Models invent server names, so the number is otherwise unbounded.
const MAX_LABELS: usize = 256;
const OTHER: &str = "other";
const OK: &str = "ok";

/// The counter of a process. Cheap to clone; the lock is held for one addition or one copy.
#[derive(Clone, Default)]
pub(crate) struct CallCounter(Arc<Mutex<CallCounts>>);

/// The counts so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// Model calls.
    pub models: BTreeMap<CalledModel, ModelCalls>,
    /// Tool calls.
    pub tools: BTreeMap<CalledServer, Durations>,
}

/// A model and an outcome of its calls.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CalledModel {
    /// The name of the configured provider.
    pub provider: String,
    /// The vendor's model name.
    pub model: String,
    /// `ok`, the kind of error, or `other`.
    pub outcome: &'static str,
}

/// The calls of one model with the same outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelCalls {
    /// Their durations.
    pub durations: Durations,
    /// Their total token usage.
    pub usage: TokenUsage,
}

/// An MCP server and an outcome of its tool calls.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CalledServer {
    /// The MCP server.
    pub server: String,
    /// `ok` or `error`.
    pub outcome: &'static str,
}

/// A histogram of durations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Durations {
    /// Number of calls per bucket: a call belongs to the first of [`Durations::BOUNDS_MS`] that it does not
    /// exceed. The last bucket counts those that exceed all bounds.
    pub buckets: [u64; Durations::BOUNDS_MS.len() + 1],
    /// The sum of all durations.
    pub sum_ms: u64,
}

impl Durations {
    /// The bounds of the buckets, from fast tools to models that take minutes.
    pub const BOUNDS_MS: [u64; 11] =
        [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000];

    /// Returns the number of calls.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    fn add(&mut self, duration_ms: u64) {
        let bucket = Self::BOUNDS_MS.iter().position(|bound| duration_ms <= *bound);
        self.buckets[bucket.unwrap_or(Self::BOUNDS_MS.len())] += 1;
        self.sum_ms = self.sum_ms.saturating_add(duration_ms);
    }
}

impl Store {
    /// Returns the counts of the calls that this process has recorded.
    pub fn call_counts(&self) -> CallCounts {
        self.call_counts.counts().clone()
    }
}

impl CallCounter {
    /// Counts the call of a recorded step.
    pub(crate) fn add(&self, payload: &StepPayload) {
        match payload {
            StepPayload::Model(call) | StepPayload::Summary { call, .. } => {
                self.counts().add_model_call(call);
            }
            StepPayload::Tool(run) => self.counts().add_tool_run(run),
            StepPayload::Delivered { .. } => {}
        }
    }

    fn counts(&self) -> MutexGuard<'_, CallCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallCounts {
    fn add_model_call(&mut self, call: &LlmCall) {
        let called = CalledModel {
            provider: call.provider.clone(),
            model: call.model.clone(),
            outcome: call.error_kind.map_or(OK, LlmErrorKind::as_str),
        };
        let has_label = self.models.len() < MAX_LABELS || self.models.contains_key(&called);
        let called = if has_label { called } else { called.as_other() };
        let calls = self.models.entry(called).or_default();
        calls.durations.add(call.duration_ms);
        calls.usage += call.usage;
    }

    fn add_tool_run(&mut self, run: &ToolRun) {
        let outcome = if run.error_message.is_none() { OK } else { "error" };
        let called = CalledServer { server: run.server.clone(), outcome };
        let has_label = self.tools.len() < MAX_LABELS || self.tools.contains_key(&called);
        let called = if has_label { called } else { CalledServer { server: OTHER.to_owned(), outcome } };
        self.tools.entry(called).or_default().add(run.duration_ms);
    }
}

impl CalledModel {
    fn as_other(&self) -> Self {
        Self { provider: self.provider.clone(), model: OTHER.to_owned(), outcome: OTHER }
    }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::{InteractionId, Timestamp, ToolRunKind};

    use super::*;

    fn run(server: String) -> ToolRun {
        ToolRun {
            interaction_id: InteractionId::new(),
            kind: ToolRunKind::ToolCall,
            server,
            tool: None,
            tool_call_id: None,
            started_at: Timestamp::from_micros(0),
            duration_ms: 1,
            arguments: None,
            result: None,
            error_message: Some("there is no such server".to_owned()),
            delivered: None,
        }
    }

    #[test]
    fn counts_a_duration_in_the_first_bucket_that_it_does_not_exceed() {
        let mut durations = Durations::default();
        for duration_ms in [0, 50, 51, 300_000, 300_001] {
            durations.add(duration_ms);
        }
        assert_eq!(durations.buckets, [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
        assert_eq!((durations.count(), durations.sum_ms), (5, 600_102));
    }

    #[test]
    fn limits_the_number_of_labels() {
        let mut counts = CallCounts::default();
        for number in 0..2 * MAX_LABELS {
            counts.add_tool_run(&run(format!("server-{number}")));
        }
        let other = CalledServer { server: OTHER.to_owned(), outcome: "error" };
        assert_eq!(counts.tools.len(), MAX_LABELS + 1);
        assert_eq!(counts.tools[&other].count(), MAX_LABELS as u64);
    }
}
