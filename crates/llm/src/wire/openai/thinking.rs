//! What OpenAI's models take for reasoning, told from their names.
//!
//! The interface refuses values that a model does not know, and the families differ; there is no way to ask.
//! See <https://platform.openai.com/docs/guides/reasoning>.

use crate::ThinkingLevel;

/// A model of OpenAI as its name tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenAiModel {
    /// It answers at once and knows no reasoning.
    Plain,
    /// It reasons.
    Reasoning(Efforts),
    /// A name that says nothing: a deployment, or somebody else's model.
    Unknown,
}

/// The efforts that a reasoning model knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Efforts {
    off: &'static str,
    low: &'static str,
    medium: &'static str,
    high: &'static str,
}

impl OpenAiModel {
    /// The model behind a name, which may have a gateway's prefix.
    pub(crate) fn named(name: &str) -> Self {
        let name = short_name(name);
        if name.contains("-chat")
            || name.starts_with("gpt-3")
            || name.starts_with("gpt-4")
            || name.starts_with("chatgpt")
        {
            return Self::Plain;
        }
        if name.contains("deep-research") {
            return Self::Reasoning(Efforts::only("medium"));
        }
        if is_o_series(&name) || name.starts_with("gpt-oss") || name.starts_with("codex") {
            return Self::Reasoning(Efforts::from_low("low"));
        }
        gpt_version(&name).map_or(Self::Unknown, |version| Self::Reasoning(gpt_efforts(&name, version)))
    }

    /// The effort to ask for, where there is one to ask for. Without a level, reasoning models are to reason: some
    /// do not by themselves.
    pub(crate) fn effort(self, level: Option<ThinkingLevel>) -> Option<&'static str> {
        match (self, level) {
            (Self::Plain, _) | (Self::Unknown, None | Some(ThinkingLevel::Off)) => None,
            (Self::Reasoning(efforts), level) => Some(efforts.of(level.unwrap_or(ThinkingLevel::Medium))),
            (Self::Unknown, Some(level)) => Some(Efforts::from_low("low").of(level)),
        }
    }

    /// Whether the model chooses its words by reasoning, which fixes its temperature.
    pub(crate) fn reasons(self) -> bool {
        matches!(self, Self::Reasoning(_))
    }
}

impl Efforts {
    /// Only this one.
    const fn only(effort: &'static str) -> Self {
        Self { off: effort, low: effort, medium: effort, high: effort }
    }

    /// From medium on.
    const fn from_medium() -> Self {
        Self { high: "high", ..Self::only("medium") }
    }

    /// From low on, with this one for the least.
    const fn from_low(off: &'static str) -> Self {
        Self { off, low: "low", medium: "medium", high: "high" }
    }

    fn of(self, level: ThinkingLevel) -> &'static str {
        match level {
            ThinkingLevel::Off => self.off,
            ThinkingLevel::Low => self.low,
            ThinkingLevel::Medium => self.medium,
            ThinkingLevel::High => self.high,
        }
    }
}

/// A model's name without a gateway's prefix, in lower case.
pub(crate) fn short_name(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).to_lowercase()
}

fn is_o_series(name: &str) -> bool {
    name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Major and minor version of a `gpt-5` or later.
fn gpt_version(name: &str) -> Option<(u32, u32)> {
    let version = name.strip_prefix("gpt-")?.split('-').next()?;
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    let version = (major.parse().ok()?, minor.parse().ok()?);
    (version >= (5, 0)).then_some(version)
}

fn gpt_efforts(name: &str, version: (u32, u32)) -> Efforts {
    let first = version == (5, 0);
    if name.contains("-pro") {
        return if first { Efforts::only("high") } else { Efforts::from_medium() };
    }
    Efforts::from_low(if name.contains("-codex") {
        "low"
    } else if first {
        "minimal"
    } else {
        "none"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efforts_are_those_that_the_model_knows() {
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
            let efforts = levels.map(|level| OpenAiModel::named(name).effort(level).unwrap_or("-"));
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
