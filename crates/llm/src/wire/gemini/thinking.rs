//! The thinking parameters of a request.
//!
//! Gemini 2.5 takes a budget in tokens, Gemini 3 and later a level, and the API rejects a request with both.
//! The settings are converted to what the model accepts; without settings the model thinks as much as it can.
//! <https://ai.google.dev/gemini-api/docs/thinking>

use serde::Serialize;
use tarsy_domain::{
    ModelTraits, ThinkingBudgets, ThinkingLevel, ThinkingOff, ThinkingStyle, ThinkingSupport,
};

use crate::Thinking;

const MAX_BUDGET: u32 = 24_576;
/// Budgets of models for which the catalog has none.
const DEFAULT_BUDGETS: ThinkingBudgets =
    ThinkingBudgets { min: Some(1), max: Some(MAX_BUDGET), low: Some(1024), medium: Some(8192), high: None };

/// The `thinkingConfig` parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GeminiThinking {
    include_thoughts: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_level: Option<String>,
}

/// Returns the parameter for a model, or `None` if it must not be sent.
pub(super) fn thinking_config(traits: &ModelTraits, wanted: Thinking) -> Option<GeminiThinking> {
    let Some(support) = &traits.thinking else {
        return Some(wanted_budget(DEFAULT_BUDGETS, wanted)).filter(|tokens| *tokens > 0).map(budget);
    };
    match support.style {
        ThinkingStyle::None | ThinkingStyle::Adaptive => None,
        ThinkingStyle::Budget => Some(budget(allowed_budget(support, wanted))),
        ThinkingStyle::Level => match (wanted.level, wanted.budget_tokens) {
            (None, Some(0)) => level(support, ThinkingLevel::Off),
            (None, Some(tokens)) => Some(budget(tokens)),
            (wanted, _) => level(support, wanted.unwrap_or(ThinkingLevel::High)),
        },
    }
}

fn allowed_budget(support: &ThinkingSupport, wanted: Thinking) -> u32 {
    let budgets = support.budget.unwrap_or_default().or(DEFAULT_BUDGETS);
    match wanted_budget(budgets, wanted) {
        0 if support.off() == ThinkingOff::Zero => 0,
        tokens => tokens.max(budgets.min.unwrap_or(1)).min(budgets.max.unwrap_or(MAX_BUDGET)),
    }
}

fn wanted_budget(budgets: ThinkingBudgets, wanted: Thinking) -> u32 {
    let by_level = || budgets.tokens(wanted.level.unwrap_or(ThinkingLevel::High)).unwrap_or(MAX_BUDGET);
    wanted.budget_tokens.unwrap_or_else(by_level)
}

/// Thoughts must not be requested with a budget of zero.
fn budget(tokens: u32) -> GeminiThinking {
    GeminiThinking { include_thoughts: tokens > 0, thinking_budget: Some(tokens), thinking_level: None }
}

fn level(support: &ThinkingSupport, level: ThinkingLevel) -> Option<GeminiThinking> {
    let level = support.level_value(level)?.to_uppercase();
    Some(GeminiThinking { include_thoughts: true, thinking_budget: None, thinking_level: Some(level) })
}

#[cfg(test)]
mod tests {
    use tarsy_domain::{ModelCatalog, ModelVendor};

    use super::*;

    fn chosen(model: &str, level: Option<ThinkingLevel>, budget_tokens: Option<u32>) -> String {
        let traits = ModelCatalog::default().lookup_among(&[ModelVendor::Google], model);
        let config = thinking_config(&traits, Thinking { level, budget_tokens });
        serde_json::to_string(&config).unwrap()
    }

    #[test]
    fn without_settings_a_model_thinks_as_much_as_it_can() {
        for (model, expected) in [
            ("gemini-2.5-pro", r#"{"includeThoughts":true,"thinkingBudget":32768}"#),
            ("gemini-2.5-flash", r#"{"includeThoughts":true,"thinkingBudget":24576}"#),
            ("gemini-2.5-flash-lite", r#"{"includeThoughts":true,"thinkingBudget":24576}"#),
            ("gemini-3-pro-preview", r#"{"includeThoughts":true,"thinkingLevel":"HIGH"}"#),
            ("gemini-3.8-flash", r#"{"includeThoughts":true,"thinkingLevel":"HIGH"}"#),
            ("gemini-flash-latest", r#"{"includeThoughts":true,"thinkingBudget":24576}"#),
            ("gemini-2.0-flash", "null"),
        ] {
            assert_eq!(chosen(model, None, None), expected, "{model}");
        }
    }

    #[test]
    fn settings_are_converted_to_what_the_model_accepts() {
        use ThinkingLevel::{High, Low, Medium, Off};
        let off = r#"{"includeThoughts":false,"thinkingBudget":0}"#;
        for (model, level, tokens, expected) in [
            ("gemini-2.5-flash", Some(Off), None, off),
            ("gemini-2.5-flash", None, Some(0), off),
            ("gemini-2.5-flash-lite", None, Some(3), r#"{"includeThoughts":true,"thinkingBudget":512}"#),
            ("gemini-2.5-pro", Some(Off), None, r#"{"includeThoughts":true,"thinkingBudget":128}"#),
            ("gemini-2.5-pro", Some(Low), None, r#"{"includeThoughts":true,"thinkingBudget":1024}"#),
            (
                "gemini-2.5-pro",
                Some(High),
                Some(99_999),
                r#"{"includeThoughts":true,"thinkingBudget":32768}"#,
            ),
            ("gemini-3-pro-preview", Some(Off), None, r#"{"includeThoughts":true,"thinkingLevel":"LOW"}"#),
            (
                "gemini-3-pro-preview",
                Some(Medium),
                None,
                r#"{"includeThoughts":true,"thinkingLevel":"HIGH"}"#,
            ),
            ("gemini-3.1-pro", Some(Medium), Some(7), r#"{"includeThoughts":true,"thinkingLevel":"MEDIUM"}"#),
            (
                "gemini-3.1-flash-lite",
                Some(Off),
                None,
                r#"{"includeThoughts":true,"thinkingLevel":"MINIMAL"}"#,
            ),
            ("gemini-3-flash", None, Some(900), r#"{"includeThoughts":true,"thinkingBudget":900}"#),
            ("gemini-3-flash", None, Some(0), r#"{"includeThoughts":true,"thinkingLevel":"MINIMAL"}"#),
            ("gemini-3.5-flash", Some(Off), None, r#"{"includeThoughts":true,"thinkingLevel":"MINIMAL"}"#),
            ("gemini-3.7-flash", Some(Off), None, r#"{"includeThoughts":true,"thinkingLevel":"LOW"}"#),
            ("gemini-3.8-flash", Some(Off), None, r#"{"includeThoughts":true,"thinkingLevel":"LOW"}"#),
            ("gemini-2.0-flash", Some(High), None, "null"),
            ("something-else", Some(Off), None, "null"),
        ] {
            assert_eq!(chosen(model, level, tokens), expected, "{model} {level:?} {tokens:?}");
        }
    }
}
