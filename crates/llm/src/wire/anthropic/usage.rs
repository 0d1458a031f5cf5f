//! Token usage of a reply, reported as snapshots of totals.

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
    /// Applies a snapshot. A snapshot contains totals, but not always every count: those that it has replace
    /// the earlier ones. Gateways that do not know the input report zero for all of it, which is ignored.
    pub(super) fn update(&mut self, snapshot: &Value) {
        let count = |path: &str| snapshot.pointer(path).and_then(Value::as_u64);
        let input = [
            (&mut self.fresh_input, count("/input_tokens")),
            (&mut self.cache_written, count("/cache_creation_input_tokens")),
            (&mut self.cache_read, count("/cache_read_input_tokens")),
        ];
        if input.iter().any(|(_, count)| count.is_some_and(|count| count > 0)) {
            input.into_iter().for_each(|(known, count)| *known = count.unwrap_or(*known));
        }
        self.output = count("/output_tokens").unwrap_or(self.output);
        self.thinking = count("/output_tokens_details/thinking_tokens").unwrap_or(self.thinking);
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
        usage.update(&json!({ "input_tokens": 24, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 5 }));
        let expected =
            TokenUsage { input_tokens: 24, output_tokens: 5, thinking_tokens: 20, cached_tokens: 0 };
        assert_eq!(usage.total(), expected, "totals can shrink");
    }
}
