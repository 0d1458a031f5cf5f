//! What the referee does, and what should come of it.

use serde_json::{Value, json};
use tarsy_domain::ModelFailureKind;

/// One thing that goes wrong, or right.
#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    /// Its name, which is part of the model's, so that the referee does it to nobody else.
    pub(crate) name: String,
    /// What the referee does, in its own words.
    pub(crate) behaviors: Vec<Value>,
    /// What comes of it.
    pub(crate) outcome: Outcome,
    /// How many requests the referee gets for it.
    pub(crate) attempts: usize,
}

/// What comes of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The reply is whole.
    Answered,
    /// There is no reply, and nothing of it was given out.
    Failed(ModelFailureKind),
    /// A part of a reply was given out before it failed. Our client does not try again then, but whoever asked it can,
    /// and is answered.
    BrokenOff(ModelFailureKind),
    /// There is no reply for a reason that our client does not retry; whoever asked does, and is answered.
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

    /// A script that does all this to one model only.
    pub(crate) fn script(&self, model: &str) -> Value {
        let mut behaviors = self.behaviors.clone();
        for behavior in &mut behaviors {
            behavior["match"]["model"] = json!(model);
        }
        json!({ "behaviors": behaviors })
    }
}
