//! How much a Gemini model is asked to think.
//!
//! Gemini 2.5 takes a budget in tokens, Gemini 3 and later a level, and a request with both is refused. What the
//! settings say is brought to what the model allows; without them it thinks as much as it can.
//! <https://ai.google.dev/gemini-api/docs/thinking>

use serde::Serialize;

use super::family::{Family, Tier};
use crate::{Thinking, ThinkingLevel};

/// The most that Gemini 2.5 Flash may think, and what a model without a known limit is given.
const FLASH_BUDGET: u32 = 24_576;
const LOW_BUDGET: u32 = 1024;
const MEDIUM_BUDGET: u32 = 8192;

/// The part of a request that is about thinking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThinkingConfig {
    include_thoughts: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_level: Option<&'static str>,
}

/// What a model allows.
enum Range {
    /// It does not think.
    Never,
    /// A budget: the least, the most, and whether none at all is allowed.
    Budget { least: u32, most: u32, may_be_off: bool },
    /// A level.
    Level,
    /// Nobody knows; whatever is wished for is passed on.
    Unknown,
}

/// What to ask a model for; nothing if it must not be asked.
pub(super) fn thinking_config(family: Family, wish: Thinking) -> Option<ThinkingConfig> {
    match range_of(family) {
        Range::Never => None,
        Range::Budget { least, most, may_be_off } => {
            let wished = wish.budget_tokens.unwrap_or_else(|| budget_of(wish.level, most));
            let is_off = wished == 0 && may_be_off;
            Some(budget(if is_off { 0 } else { wished.clamp(least, most) }))
        }
        Range::Level => Some(match (wish.level, wish.budget_tokens) {
            (None, Some(0)) => level(family, ThinkingLevel::Off),
            (None, Some(tokens)) => budget(tokens),
            (wished, _) => level(family, wished.unwrap_or(ThinkingLevel::High)),
        }),
        Range::Unknown => match wish.budget_tokens.unwrap_or_else(|| budget_of(wish.level, FLASH_BUDGET)) {
            0 => None,
            tokens => Some(budget(tokens)),
        },
    }
}

fn range_of(family: Family) -> Range {
    if family.is_before(2, 5) {
        return Range::Never;
    }
    if family.is_at_least(3, 0) {
        return Range::Level;
    }
    if !family.is_at_least(2, 5) {
        return Range::Unknown;
    }
    match family.tier {
        Tier::Pro => Range::Budget { least: 128, most: 32_768, may_be_off: false },
        Tier::Flash => Range::Budget { least: 1, most: FLASH_BUDGET, may_be_off: true },
        Tier::FlashLite => Range::Budget { least: 512, most: FLASH_BUDGET, may_be_off: true },
        Tier::Other => Range::Unknown,
    }
}

fn budget_of(level: Option<ThinkingLevel>, most: u32) -> u32 {
    match level {
        Some(ThinkingLevel::Off) => 0,
        Some(ThinkingLevel::Low) => LOW_BUDGET,
        Some(ThinkingLevel::Medium) => MEDIUM_BUDGET,
        Some(ThinkingLevel::High) | None => most,
    }
}

/// Thoughts must not be asked for where there are none.
fn budget(tokens: u32) -> ThinkingConfig {
    ThinkingConfig { include_thoughts: tokens > 0, thinking_budget: Some(tokens), thinking_level: None }
}

fn level(family: Family, level: ThinkingLevel) -> ThinkingConfig {
    let level = match level {
        ThinkingLevel::Off if takes_minimal(family) => "MINIMAL",
        ThinkingLevel::Off | ThinkingLevel::Low => "LOW",
        // Gemini 3 Pro knows two levels only; 3.1 brought the third.
        ThinkingLevel::Medium if family.tier == Tier::Pro && !family.is_at_least(3, 1) => "HIGH",
        ThinkingLevel::Medium => "MEDIUM",
        ThinkingLevel::High => "HIGH",
    };
    ThinkingConfig { include_thoughts: true, thinking_budget: None, thinking_level: Some(level) }
}

/// No model of these generations can stop thinking. Flash took less than low up to 3.6, and refuses it since 3.7.
/// <https://ai.google.dev/gemini-api/docs/whats-new-gemini-3.7>
fn takes_minimal(family: Family) -> bool {
    match family.tier {
        Tier::FlashLite => true,
        Tier::Flash => family.is_before(3, 7),
        Tier::Pro | Tier::Other => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(model: &str, level: Option<ThinkingLevel>, budget_tokens: Option<u32>) -> String {
        let config = thinking_config(Family::of(model), Thinking { level, budget_tokens });
        serde_json::to_string(&config).unwrap()
    }

    #[test]
    fn a_model_thinks_as_much_as_it_can() {
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
    fn settings_are_brought_to_what_the_model_allows() {
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
