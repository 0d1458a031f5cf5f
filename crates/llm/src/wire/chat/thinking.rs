//! The reasoning effort, where the configuration sets a level.
//!
//! Without a level nothing is sent: servers reject the field for models that do not support it. There is no
//! common field for a budget of thinking tokens, so a budget is not sent.

use tarsy_domain::{ModelTraits, ThinkingLevel, ThinkingStyle};
use tracing::debug;

use crate::Settings;

/// Returns the value of `reasoning_effort`, if it is sent.
pub(super) fn reasoning_effort(settings: &Settings, traits: &ModelTraits) -> Option<String> {
    if settings.thinking.budget_tokens.is_some() {
        debug!("Chat Completions has no field for a thinking budget; it is not sent");
    }
    effort(traits, settings.thinking.level?)
}

fn effort(traits: &ModelTraits, level: ThinkingLevel) -> Option<String> {
    match &traits.thinking {
        Some(support) if support.style == ThinkingStyle::Level => {
            support.level_value(level).map(str::to_owned)
        }
        Some(_) => {
            debug!("the model accepts no reasoning_effort; it is not sent");
            None
        }
        None if level == ThinkingLevel::Off => Some("none".to_owned()),
        None => Some(level.as_str().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::ModelCatalog;

    use super::*;
    use crate::wire::chat::VENDORS;

    #[test]
    fn grok_models_get_what_they_accept() {
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
            let traits = ModelCatalog::default().lookup_among(VENDORS, name);
            let chosen = [Off, Low, Medium, High].map(|level| effort(&traits, level));
            assert_eq!(chosen, efforts.map(|effort| effort.map(str::to_owned)), "{name}");
        }
    }
}
