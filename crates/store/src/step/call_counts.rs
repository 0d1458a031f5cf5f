//! How many calls of models and tools this process has recorded, and how long they took.
//!
//! It is counted where a step is written down: the record knows every call, failed ones included, so none is missed, nobody
//! has to read anything back, and the engine need not know that somebody counts. The counts are plain numbers; how they are
//! shown is the reader's affair. They begin with the process and are about what it recorded itself, so the counts of
//! several processes can be added up. A write without an answer that turns out to have succeeded is not among them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tarsy_domain::{LlmErrorKind, TokenUsage};

use crate::Store;
use crate::step::StepPayload;
use crate::step::interaction::{LlmCall, ToolRun};

/// Kinds of calls that are told apart. The name of a server is a model's word, and models make up many.
const MOST_KINDS: usize = 256;
const OTHER: &str = "other";
const OK: &str = "ok";

/// The counts of a process. Cheap to clone; the lock is held for one addition or one copy.
#[derive(Clone, Default)]
pub(crate) struct CallCounter(Arc<Mutex<CallCounts>>);

/// What was counted so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// Calls of models.
    pub models: BTreeMap<CalledModel, ModelCalls>,
    /// Calls of tools.
    pub tools: BTreeMap<CalledServer, Durations>,
}

/// Which model was called, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CalledModel {
    /// The configured provider.
    pub provider: String,
    /// The vendor's model name.
    pub model: String,
    /// `ok`, the kind of error, or `other`.
    pub outcome: &'static str,
}

/// Calls of one model with the same outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelCalls {
    /// How long they took.
    pub durations: Durations,
    /// What they cost together.
    pub usage: TokenUsage,
}

/// Which server's tools were called, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CalledServer {
    /// The MCP server.
    pub server: String,
    /// `ok` or `error`.
    pub outcome: &'static str,
}

/// How long calls took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Durations {
    /// Calls by the first of [`Durations::BOUNDS_MS`] that they kept; the last are those that kept none.
    pub buckets: [u64; Durations::BOUNDS_MS.len() + 1],
    /// All of them together.
    pub sum_ms: u64,
}

impl Durations {
    /// From a quick tool to a model that thinks for minutes.
    pub const BOUNDS_MS: [u64; 11] =
        [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000];

    /// How many calls there were.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    fn add(&mut self, duration_ms: u64) {
        let kept = Self::BOUNDS_MS.iter().position(|bound| duration_ms <= *bound);
        self.buckets[kept.unwrap_or(Self::BOUNDS_MS.len())] += 1;
        self.sum_ms = self.sum_ms.saturating_add(duration_ms);
    }
}

impl Store {
    /// What this process has recorded since it began.
    pub fn call_counts(&self) -> CallCounts {
        self.call_counts.counts().clone()
    }
}

impl CallCounter {
    /// CallCounts what a recorded step was about.
    pub(crate) fn add(&self, payload: &StepPayload) {
        match payload {
            StepPayload::Model(call) | StepPayload::Summary { call, .. } => {
                self.counts().add_model_call(call)
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
        let is_told_apart = self.models.len() < MOST_KINDS || self.models.contains_key(&called);
        let called = if is_told_apart { called } else { called.as_other() };
        let calls = self.models.entry(called).or_default();
        calls.durations.add(call.duration_ms);
        calls.usage += call.usage;
    }

    fn add_tool_run(&mut self, run: &ToolRun) {
        let outcome = if run.error_message.is_none() { OK } else { "error" };
        let called = CalledServer { server: run.server.clone(), outcome };
        let is_told_apart = self.tools.len() < MOST_KINDS || self.tools.contains_key(&called);
        let called = if is_told_apart { called } else { CalledServer { server: OTHER.to_owned(), outcome } };
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
    fn a_duration_belongs_to_the_first_bound_that_it_keeps() {
        let mut durations = Durations::default();
        for duration_ms in [0, 50, 51, 300_000, 300_001] {
            durations.add(duration_ms);
        }
        assert_eq!(durations.buckets, [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
        assert_eq!((durations.count(), durations.sum_ms), (5, 600_102));
    }

    #[test]
    fn names_that_a_model_makes_up_do_not_fill_the_memory() {
        let mut counts = CallCounts::default();
        for number in 0..2 * MOST_KINDS {
            counts.add_tool_run(&run(format!("server-{number}")));
        }
        let other = CalledServer { server: OTHER.to_owned(), outcome: "error" };
        assert_eq!(counts.tools.len(), MOST_KINDS + 1);
        assert_eq!(counts.tools[&other].count(), MOST_KINDS as u64);
    }
}
