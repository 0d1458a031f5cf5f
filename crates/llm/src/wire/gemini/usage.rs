//! Token usage of a reply.

use tarsy_domain::TokenUsage;

use super::fields::JsonFields;

/// Reads `usageMetadata`, which contains totals so far. Google counts thoughts, and what its own tools read,
/// separately.
pub(super) fn usage_of(metadata: &JsonFields) -> TokenUsage {
    let count = |name| metadata.count(name).unwrap_or_default();
    let thinking_tokens = count("thoughtsTokenCount");
    TokenUsage {
        input_tokens: count("promptTokenCount").saturating_add(count("toolUsePromptTokenCount")),
        output_tokens: count("candidatesTokenCount").saturating_add(thinking_tokens),
        thinking_tokens,
        cached_tokens: count("cachedContentTokenCount"),
    }
}
