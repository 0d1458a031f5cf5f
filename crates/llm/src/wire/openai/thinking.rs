//! The reasoning effort of OpenAI's models.
//!
//! The API rejects values that a model does not accept; the model catalog has them.
//! See <https://platform.openai.com/docs/guides/reasoning>.

use tarsy_domain::{ModelTraits, ModelVendor, ThinkingLevel, ThinkingStyle};

/// Returns the effort to send, if any. Without a level, known reasoning models get `medium`: some do not
/// reason by default. Unknown models get an effort only if the configuration sets a level.
pub(crate) fn effort(traits: &ModelTraits, level: Option<ThinkingLevel>) -> Option<String> {
    match &traits.thinking {
        Some(support) if support.style == ThinkingStyle::Level => {
            support.level_value(level.unwrap_or(ThinkingLevel::Medium)).map(str::to_owned)
        }
        Some(_) => None,
        None => level.filter(|level| *level != ThinkingLevel::Off).map(|level| level.as_str().to_owned()),
    }
}

/// Returns whether this is a reasoning model of OpenAI.
pub(crate) fn is_reasoning_model(traits: &ModelTraits) -> bool {
    traits.vendor == Some(ModelVendor::OpenAi)
        && traits.thinking.as_ref().is_some_and(|support| support.style == ThinkingStyle::Level)
}

#[cfg(test)]
mod tests {
    use tarsy_domain::ModelCatalog;

    use super::*;

    #[test]
    fn efforts_are_those_that_the_model_accepts() {
        let levels = [
            None,
            Some(ThinkingLevel::Off),
            Some(ThinkingLevel::Low),
            Some(ThinkingLevel::Medium),
            Some(ThinkingLevel::High),
        ];
        let table: Vec<String> = [
            "gpt-4o",
            "gpt-4.1-mini",
            "gpt-5-chat-latest",
            "my-deployment",
            "o3-mini",
            "o3-deep-research",
            "gpt-5",
            "gpt-5-mini-2025-08-07",
            "gpt-5-codex",
            "gpt-5-pro",
            "openai/gpt-5.1",
            "gpt-5.2-pro",
            "gpt-5.3-codex",
            "gpt-6",
            "gpt-oss-120b",
        ]
        .map(|name| {
            let traits = ModelCatalog::default().lookup_among(&[ModelVendor::OpenAi], name);
            let efforts = levels.map(|level| effort(&traits, level).unwrap_or_else(|| "-".to_owned()));
            format!("{name}: {}", efforts.join(" "))
        })
        .to_vec();
        insta::assert_snapshot!(table.join("\n"), @"
        gpt-4o: - - - - -
        gpt-4.1-mini: - - - - -
        gpt-5-chat-latest: - - - - -
        my-deployment: - - low medium high
        o3-mini: medium low low medium high
        o3-deep-research: medium medium medium medium medium
        gpt-5: medium minimal low medium high
        gpt-5-mini-2025-08-07: medium minimal low medium high
        gpt-5-codex: medium low low medium high
        gpt-5-pro: high high high high high
        openai/gpt-5.1: medium none low medium high
        gpt-5.2-pro: medium medium medium medium high
        gpt-5.3-codex: medium low low medium high
        gpt-6: medium none low medium high
        gpt-oss-120b: medium low low medium high
        ");
    }
}
