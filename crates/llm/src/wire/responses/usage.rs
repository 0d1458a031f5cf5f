//! Token usage of a reply.

use serde_json::Value;
use tarsy_domain::TokenUsage;

use crate::wire::openai::count;

/// Reads the `usage` object of a response.
pub(super) fn usage_of(usage: &Value) -> TokenUsage {
    TokenUsage {
        input_tokens: count(usage, "/input_tokens"),
        output_tokens: count(usage, "/output_tokens"),
        thinking_tokens: count(usage, "/output_tokens_details/reasoning_tokens"),
        cached_tokens: count(usage, "/input_tokens_details/cached_tokens"),
    }
}
