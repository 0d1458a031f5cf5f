//! Token usage of a reply; servers count differently.

use serde_json::Value;
use tarsy_domain::TokenUsage;

use crate::wire::openai::count;

/// Returns the usage in an event, if any. Groq sends it in a separate field.
pub(super) fn usage_of(event: &Value) -> Option<TokenUsage> {
    let usage = [event.get("usage"), event.pointer("/x_groq/usage")].into_iter().flatten();
    usage.filter(|usage| usage.is_object()).map(read).next()
}

fn read(usage: &Value) -> TokenUsage {
    let (input, output) = (count(usage, "/prompt_tokens"), count(usage, "/completion_tokens"));
    let thinking = count(usage, "/completion_tokens_details/reasoning_tokens");
    let cached =
        count(usage, "/prompt_tokens_details/cached_tokens").max(count(usage, "/prompt_cache_hit_tokens"));
    // xAI counts reasoning in addition to the completion, all others as part of it; the total shows which.
    let is_additional = thinking > 0 && count(usage, "/total_tokens") == input + output + thinking;
    TokenUsage {
        input_tokens: input,
        output_tokens: if is_additional { output + thinking } else { output },
        thinking_tokens: thinking,
        cached_tokens: cached,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn output_includes_thinking() {
        let counts = |usage: Value| {
            let usage = usage_of(&usage).unwrap();
            (usage.input_tokens, usage.output_tokens, usage.thinking_tokens, usage.cached_tokens)
        };
        let details = json!({"reasoning_tokens": 30});
        assert_eq!(
            counts(json!({"usage": {"prompt_tokens": 10, "completion_tokens": 40, "total_tokens": 50,
                "completion_tokens_details": details, "prompt_tokens_details": {"cached_tokens": 8}}})),
            (10, 40, 30, 8)
        );
        assert_eq!(
            counts(json!({"usage": {"prompt_tokens": 10, "completion_tokens": 40, "total_tokens": 80,
                "completion_tokens_details": details, "prompt_tokens_details": null, "prompt_cache_hit_tokens": 4}})),
            (10, 70, 30, 4)
        );
        assert_eq!(counts(json!({"usage": null, "x_groq": {"usage": {"prompt_tokens": 1.0}}})), (1, 0, 0, 0));
        assert_eq!(usage_of(&json!({"usage": null})), None);
    }
}
