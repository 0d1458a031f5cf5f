//! Detects an agent that repeats tool calls or unusable replies.
//!
//! A note informs the model of each repeated result. An agent that learns nothing new for several turns must
//! conclude: weak models otherwise repeat one reply until the iteration limit.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde_json::Value;
use tarsy_domain::{ToolCall, ToolDefinition, ToolResult};

/// Maximum number of tools that a note suggests.
const MAX_SUGGESTIONS: usize = 8;

/// The calls of a run with their last results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RepeatedCalls {
    seen: HashMap<u64, SeenResult>,
    /// Names of the tools that were called.
    called: BTreeSet<String>,
    /// The last reply, if it could not be used.
    unusable: Option<u64>,
    /// Number of consecutive turns that brought nothing; a turn that brought little counts as half of one.
    half_turns_without_news: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SeenResult {
    result: u64,
    times: u32,
}

/// What an agent learned in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TurnNews {
    /// Known results only, or the same unusable reply again.
    Nothing,
    /// Other results of known calls, such as ages, or an unusable reply.
    Little,
    /// The result of a new call.
    Much,
}

/// A result compared with those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountedResult {
    /// How often in succession the call had this result, including this time.
    pub(super) times: u32,
    pub(super) news: TurnNews,
}

impl RepeatedCalls {
    /// Counts the result of a call.
    pub(super) fn count(&mut self, call: &ToolCall, result: &ToolResult) -> CountedResult {
        self.called.insert(call.name.clone());
        let key = call_key(call);
        let is_new_call = !self.seen.contains_key(&key);
        let result = hash_of(&result.content);
        let seen = self.seen.entry(key).or_insert(SeenResult { result, times: 0 });
        if seen.result != result {
            *seen = SeenResult { result, times: 0 };
        }
        seen.times = seen.times.saturating_add(1);
        let news = match seen.times {
            1 if is_new_call => TurnNews::Much,
            1 => TurnNews::Little,
            _ => TurnNews::Nothing,
        };
        CountedResult { times: seen.times, news }
    }

    /// Counts a reply that cannot be used.
    pub(super) fn count_unusable(&mut self, reply: &str) -> TurnNews {
        let previous = self.unusable.replace(hash_of(&reply));
        if previous == self.unusable { TurnNews::Nothing } else { TurnNews::Little }
    }

    /// Counts a finished turn; returns the number of consecutive turns without news.
    pub(super) fn end_turn(&mut self, news: TurnNews) -> u32 {
        let half_turns = match news {
            TurnNews::Nothing => 2,
            TurnNews::Little => 1,
            TurnNews::Much => {
                (self.half_turns_without_news, self.unusable) = (0, None);
                0
            }
        };
        self.half_turns_without_news = self.half_turns_without_news.saturating_add(half_turns);
        self.half_turns_without_news / 2
    }

    /// Returns a sentence with tools that were not called yet; empty if there are none.
    pub(super) fn suggestion(&self, tools: &[Arc<ToolDefinition>]) -> String {
        let names = tools.iter().map(|tool| tool.name.as_str()).filter(|name| !self.called.contains(*name));
        let names: Vec<&str> = names.take(MAX_SUGGESTIONS).collect();
        if names.is_empty() {
            return String::new();
        }
        format!(" Tools that you have not called yet: {}.", names.join(", "))
    }

    /// Removes a call whose result was removed from the conversation, so that calling it again does not count
    /// as a repetition.
    pub(super) fn forget(&mut self, call_key: u64) {
        self.seen.remove(&call_key);
    }
}

/// Returns the key of a call; equal for calls with equal names and arguments.
pub(super) fn call_key(call: &ToolCall) -> u64 {
    hash_of(&normalized(call))
}

/// Returns the note for the model after a repeated result; empty for the first one.
pub(super) fn repetition_note(times: u32) -> String {
    if times < 2 {
        return String::new();
    }
    format!(
        "\n\nNote: you have now made this same call {times} times, and the result was the same each time. Calling it again \
         will not tell you more. Use what you know, look somewhere else, or conclude."
    )
}

/// Returns the call with normalized arguments, so that key order and whitespace do not matter.
fn normalized(call: &ToolCall) -> (&str, String) {
    let arguments = match serde_json::from_str::<Value>(&call.arguments) {
        Ok(mut arguments) => {
            arguments.sort_all_objects();
            arguments.to_string()
        }
        Err(_) => call.arguments.clone(),
    };
    (&call.name, arguments)
}

/// Hashes without a random key, so that a rebuilt run has the same keys.
fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
