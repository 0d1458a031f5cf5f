//! Tool calls that were started and whose outcome may stay unknown.
//!
//! Before a call that may have a side effect is made, its id is recorded. If the process dies before the
//! result is recorded, the call may or may not have taken effect: it is not repeated, and the model gets
//! [`outcome_unknown`].

use serde::{Deserialize, Serialize};
use tarsy_domain::{TokenUsage, ToolCall, ToolResult, ToolStatus};

/// The calls of one iteration that were started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StartedCalls {
    /// Number of model calls before them. It identifies the iteration: providers may reuse ids in later ones.
    turn: u32,
    ids: Vec<String>,
}

impl StartedCalls {
    /// Creates the record for calls that start now. The calls of the same iteration that were started before
    /// an interruption are kept, because their results are not recorded yet.
    pub(crate) fn new<'a>(
        model_calls: u32,
        calls: impl IntoIterator<Item = &'a ToolCall>,
        before: Option<&Self>,
    ) -> Self {
        let before = before.filter(|before| before.turn == model_calls).map(|before| before.ids.clone());
        let mut ids = before.unwrap_or_default();
        ids.extend(calls.into_iter().map(|call| call.id.clone()));
        Self { turn: model_calls, ids }
    }

    /// Returns whether a call of this iteration was started.
    pub(crate) fn includes(&self, model_calls: u32, call: &ToolCall) -> bool {
        self.turn == model_calls && self.ids.contains(&call.id)
    }
}

/// Returns the result that the model gets for a call that was started and whose outcome is unknown.
pub(crate) fn outcome_unknown(call: &ToolCall) -> ToolResult {
    ToolResult {
        shortened: false,
        call_id: call.id.clone(),
        content: format!(
            "The outcome of this call is unknown: the investigation was interrupted after {} had been called and before \
             its result was recorded. The call may or may not have taken effect. It was not repeated, because the tool is \
             not marked as safe to repeat. Check the current state before you decide whether to call it again.",
            call.name
        ),
        status: ToolStatus::Error,
        usage: TokenUsage::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: "k.restart".to_owned(), arguments: "{}".to_owned() }
    }

    #[test]
    fn keeps_calls_that_were_started_earlier_in_the_same_iteration() {
        let (first, second) = (call("a"), call("b"));
        let before = StartedCalls::new(3, [&first], None);
        let after = StartedCalls::new(3, [&second], Some(&before));
        assert!(after.includes(3, &first) && after.includes(3, &second));
        let next_iteration = StartedCalls::new(4, [&second], Some(&before));
        assert!(!next_iteration.includes(4, &first), "the earlier iteration is complete");
    }

    #[test]
    fn identifies_a_call_by_iteration_and_id() {
        let call = call("a");
        let started = StartedCalls::new(3, [&call], None);
        let text = serde_json::to_string(&started).unwrap();
        assert_eq!(text, r#"{"turn":3,"ids":["a"]}"#);
        let parsed: StartedCalls = serde_json::from_str(&text).unwrap();
        assert_eq!(parsed, started);
        assert!(parsed.includes(3, &call));
        assert!(!parsed.includes(4, &call), "another iteration may use the same id");
    }
}
