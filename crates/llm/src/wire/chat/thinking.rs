//! How hard a model is to think, where the configuration says so.
//!
//! Without a level nothing is sent: servers refuse the field for models that do not know it. A budget of tokens has no
//! common name and is not sent at all.

use tracing::debug;

use crate::wire::openai::{OpenAiModel, short_name};
use crate::{Settings, ThinkingLevel};

/// The value of `reasoning_effort`, if it is to be sent.
pub(super) fn effort(settings: &Settings) -> Option<&'static str> {
    if settings.thinking.budget_tokens.is_some() {
        debug!("Chat Completions has no field for a budget of thinking tokens");
    }
    let level = settings.thinking.level?;
    let name = short_name(&settings.origin.model);
    if name.starts_with("grok") {
        return grok(&name, level);
    }
    match OpenAiModel::named(&name) {
        OpenAiModel::Unknown => Some(plain(level)),
        model @ (OpenAiModel::Plain | OpenAiModel::Reasoning(_)) => model.effort(Some(level)),
    }
}

fn plain(level: ThinkingLevel) -> &'static str {
    match level {
        ThinkingLevel::Off => "none",
        ThinkingLevel::Low => "low",
        ThinkingLevel::Medium => "medium",
        ThinkingLevel::High => "high",
    }
}

/// xAI's models: most up to 4.20 refuse the field though they reason, 3 mini knows two values, and only 4.3 can be
/// kept from reasoning. See <https://docs.x.ai/developers/model-capabilities/text/reasoning>.
fn grok(name: &str, level: ThinkingLevel) -> Option<&'static str> {
    if name.starts_with("grok-3-mini") {
        return Some(match level {
            ThinkingLevel::Off | ThinkingLevel::Low => "low",
            ThinkingLevel::Medium | ThinkingLevel::High => "high",
        });
    }
    let refuses = ["grok-2", "grok-3", "grok-4-", "grok-4.20", "grok-beta", "grok-build", "grok-code"];
    let multi_agent = name.contains("multi-agent");
    if name == "grok-4" || (refuses.iter().any(|prefix| name.starts_with(prefix)) && !multi_agent) {
        debug!(model = name, "this model takes no reasoning_effort");
        return None;
    }
    Some(match level {
        ThinkingLevel::Off if !name.starts_with("grok-4.3") => "low",
        ThinkingLevel::Off | ThinkingLevel::Low | ThinkingLevel::Medium | ThinkingLevel::High => plain(level),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grok_models_get_what_they_take() {
        use ThinkingLevel::{High, Low, Medium, Off};
        for (name, efforts) in [
            ("grok-3-mini-fast", [Some("low"), Some("low"), Some("high"), Some("high")]),
            ("grok-4", [None; 4]),
            ("grok-4-1-fast-reasoning", [None; 4]),
            ("grok-4.20-0309-reasoning", [None; 4]),
            ("grok-4.20-multi-agent", [Some("low"), Some("low"), Some("medium"), Some("high")]),
            ("grok-4.3", [Some("none"), Some("low"), Some("medium"), Some("high")]),
            ("grok-4.5", [Some("low"), Some("low"), Some("medium"), Some("high")]),
        ] {
            assert_eq!([Off, Low, Medium, High].map(|level| grok(name, level)), efforts, "{name}");
        }
    }
}
