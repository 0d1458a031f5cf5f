//! Token usage of a reply, reported as growing snapshots.

use serde_json::Value;
use tarsy_domain::TokenUsage;

/// The counts so far, in the vendor's categories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct UsageCounter {
    fresh_input: u64,
    cache_written: u64,
    cache_read: u64,
    output: u64,
    thinking: u64,
}

impl UsageCounter {
    /// Applies a snapshot. A snapshot contains totals, but not always every count; counts never shrink.
    pub(super) fn update(&mut self, snapshot: &Value) {
        let count = |path: &str| snapshot.pointer(path).and_then(Value::as_u64).unwrap_or(0);
        self.fresh_input = self.fresh_input.max(count("/input_tokens"));
        self.cache_written = self.cache_written.max(count("/cache_creation_input_tokens"));
        self.cache_read = self.cache_read.max(count("/cache_read_input_tokens"));
        self.output = self.output.max(count("/output_tokens"));
        self.thinking = self.thinking.max(count("/output_tokens_details/thinking_tokens"));
    }

    /// Returns the counts as they are recorded: input includes the cache, which the vendor counts separately.
    pub(super) fn total(self) -> TokenUsage {
        TokenUsage {
            input_tokens: self.fresh_input.saturating_add(self.cache_written).saturating_add(self.cache_read),
            output_tokens: self.output,
            thinking_tokens: self.thinking,
            cached_tokens: self.cache_read,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn input_includes_the_cache_and_the_last_snapshot_wins() {
        let mut usage = UsageCounter::default();
        usage.update(&json!({ "input_tokens": 10, "cache_creation_input_tokens": 300, "cache_read_input_tokens": 2000, "output_tokens": 1 }));
        usage.update(&json!({ "output_tokens": 55, "cache_read_input_tokens": null, "output_tokens_details": { "thinking_tokens": 20 } }));
        let expected =
            TokenUsage { input_tokens: 2310, output_tokens: 55, thinking_tokens: 20, cached_tokens: 2000 };
        assert_eq!(usage.total(), expected);
    }
}
