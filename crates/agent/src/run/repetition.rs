//! Notices an agent that goes in circles: the same call, the same answer, again.
//!
//! It only counts and words a note; the agent decides what to make of it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;
use tarsy_domain::{ToolCall, ToolResult};

/// The calls of a run with their last answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RepeatedCalls {
    seen: HashMap<u64, SeenResult>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SeenResult {
    result: u64,
    times: u32,
}

impl RepeatedCalls {
    /// How often this call has had this answer without another one in between, this time included.
    pub(super) fn count(&mut self, call: &ToolCall, result: &ToolResult) -> u32 {
        let result = hash_of(&result.content);
        let seen = self.seen.entry(call_key(call)).or_insert(SeenResult { result, times: 0 });
        if seen.result != result {
            *seen = SeenResult { result, times: 0 };
        }
        seen.times = seen.times.saturating_add(1);
        seen.times
    }

    /// The answer to a question is no longer to be seen, so asking it again is no circle.
    pub(super) fn forget(&mut self, question: u64) {
        self.seen.remove(&question);
    }
}

/// What stands for a call: equal for calls that ask the same.
pub(super) fn call_key(call: &ToolCall) -> u64 {
    hash_of(&question(call))
}

/// What the model is told after a result that it has had before; nothing the first time.
pub(super) fn repetition_note(times: u32) -> String {
    if times < 2 {
        return String::new();
    }
    format!(
        "\n\nNote: you have now made this same call {times} times, and the result was the same each time. Calling it again \
         will not tell you more. Use what you know, look somewhere else, or conclude."
    )
}

/// The call without what does not matter: the order of its arguments and the blanks between them.
fn question(call: &ToolCall) -> (&str, String) {
    let arguments = match serde_json::from_str::<Value>(&call.arguments) {
        Ok(mut arguments) => {
            arguments.sort_all_objects();
            arguments.to_string()
        }
        Err(_) => call.arguments.clone(),
    };
    (&call.name, arguments)
}

/// Unkeyed, so that a run that is built again counts the same.
fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
