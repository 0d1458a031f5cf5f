//! Tool calls that were begun and whose end may never be known.
//!
//! Before a call that may have an effect, it is written down that it is about to be made. If the process dies before
//! its result is written down too, nobody knows whether it had the effect; the model is told so, and decides.

use serde::{Deserialize, Serialize};
use tarsy_domain::{TokenUsage, ToolCall, ToolResult, ToolStatus};

/// Calls of one turn that were begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StartedCalls {
    /// The model calls that were made before, which tells turns apart: ids may come again.
    turn: u32,
    ids: Vec<String>,
}

impl StartedCalls {
    /// Those of a turn that are begun now, beside those of it that were begun before an interruption: nobody has told
    /// of these yet, so they must not be forgotten.
    pub(crate) fn new<'a>(
        turn: u32,
        calls: impl IntoIterator<Item = &'a ToolCall>,
        before: Option<&Self>,
    ) -> Self {
        let before = before.filter(|before| before.turn == turn).map(|before| before.ids.clone());
        let mut ids = before.unwrap_or_default();
        ids.extend(calls.into_iter().map(|call| call.id.clone()));
        Self { turn, ids }
    }

    /// As it was recorded; nothing if it was not, or by another version.
    pub(crate) fn parse(recorded: Option<&str>) -> Option<Self> {
        serde_json::from_str(recorded?).ok()
    }

    /// As it is recorded.
    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether a call of a turn was begun.
    pub(crate) fn includes(&self, turn: u32, call: &ToolCall) -> bool {
        self.turn == turn && self.ids.contains(&call.id)
    }
}

/// What the model is told about a call that was begun and not finished.
pub(crate) fn outcome_unknown(call: &ToolCall) -> ToolResult {
    ToolResult {
        call_id: call.id.clone(),
        content: format!(
            "The outcome of this call is unknown: the investigation was interrupted after {} had been called and before \
             its answer was recorded. It may or may not have taken effect, and was not called again because it does not \
             say that this would be safe. Check the present state before you decide whether to call it again.",
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
    fn calls_that_are_begun_later_in_a_turn_do_not_hide_the_earlier_ones() {
        let (first, second) = (call("a"), call("b"));
        let before = StartedCalls::new(3, [&first], None);
        let after = StartedCalls::new(3, [&second], Some(&before));
        assert!(after.includes(3, &first) && after.includes(3, &second));
        let next_turn = StartedCalls::new(4, [&second], Some(&before));
        assert!(!next_turn.includes(4, &first), "the turn before is over");
    }

    #[test]
    fn a_call_is_known_by_its_turn_and_its_id() {
        let call = call("a");
        let started = StartedCalls::new(3, [&call], None);
        let recorded = StartedCalls::parse(Some(&started.to_text())).expect("it reads back");
        assert_eq!(recorded, started);
        assert!(recorded.includes(3, &call));
        assert!(!recorded.includes(4, &call), "another turn may use the same id");
        assert_eq!(StartedCalls::parse(Some("?")), None);
    }
}
