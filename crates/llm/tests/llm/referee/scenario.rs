//! Injected behavior with the expected outcome.

use serde_json::{Value, json};
use tarsy_domain::ModelFailureKind;

/// A test scenario.
#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    /// Its name, which is part of the model name, so that the script applies to this scenario only.
    pub(crate) name: String,
    /// The injected behavior, in the server's format.
    pub(crate) behaviors: Vec<Value>,
    /// The expected outcome.
    pub(crate) outcome: Outcome,
    /// The expected number of requests.
    pub(crate) attempts: usize,
}

/// The outcome of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A complete reply.
    Answered,
    /// A failure before any chunk was yielded.
    Failed(ModelFailureKind),
    /// A failure after some chunks were yielded. Our client does not retry then; a retry by its caller
    /// succeeds.
    BrokenOff(ModelFailureKind),
    /// A failure that our client does not retry; a retry by its caller succeeds.
    FailedOnce(ModelFailureKind),
}

impl Scenario {
    pub(crate) fn new(
        name: impl Into<String>,
        behaviors: impl IntoIterator<Item = Value>,
        outcome: Outcome,
        attempts: usize,
    ) -> Self {
        Self { name: name.into(), behaviors: behaviors.into_iter().collect(), outcome, attempts }
    }

    /// Returns the script that applies the behavior to one model only.
    pub(crate) fn script(&self, model: &str) -> Value {
        let mut behaviors = self.behaviors.clone();
        for behavior in &mut behaviors {
            behavior["match"]["model"] = json!(model);
        }
        json!({ "behaviors": behaviors })
    }
}
