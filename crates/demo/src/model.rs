//! Who investigates in the demo: the recording, or a real model if there is a key for one.

use tarsy_config::Environment;

/// Where a server that speaks OpenAI's chat completions is, such as Ollama.
const COMPATIBLE_URL: &str = "TARSY_OPENAI_COMPATIBLE_URL";
/// Its key, if it wants one.
const COMPATIBLE_KEY: &str = "TARSY_OPENAI_COMPATIBLE_API_KEY";

/// Variables, and the built-in providers that they make ready.
const KEYS: [(&str, &str); 3] = [
    ("GOOGLE_API_KEY", "google-default"),
    ("OPENAI_API_KEY", "openai-default"),
    ("ANTHROPIC_API_KEY", "anthropic-default"),
];

/// Who investigates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cast {
    /// The recording of the incident.
    Recording,
    /// A model of a vendor.
    Vendor {
        /// The variable with its key.
        variable: &'static str,
        /// Its built-in provider.
        provider: &'static str,
    },
    /// A model on a server of one's own.
    Compatible {
        /// Whether the server wants a key.
        key: CompatibleKey,
    },
}

/// Whether a server of one's own wants a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompatibleKey {
    /// A variable holds it.
    Set,
    /// It wants none.
    Unset,
}

impl Cast {
    /// Who investigates with these variables. A server of one's own was named for TARSy alone, so it comes first.
    pub fn of(environment: &Environment) -> Self {
        if environment.has(COMPATIBLE_URL) {
            let key = if environment.has(COMPATIBLE_KEY) { CompatibleKey::Set } else { CompatibleKey::Unset };
            return Self::Compatible { key };
        }
        let ready = KEYS.into_iter().find(|(variable, _)| environment.has(variable));
        ready.map_or(Self::Recording, |(variable, provider)| Self::Vendor { variable, provider })
    }

    /// The variable that chose it.
    pub fn variable(self) -> Option<&'static str> {
        match self {
            Self::Recording => None,
            Self::Vendor { variable, .. } => Some(variable),
            Self::Compatible { .. } => Some(COMPATIBLE_URL),
        }
    }

    /// The name of its provider in the configuration.
    pub(crate) fn provider(self) -> &'static str {
        match self {
            Self::Recording => "recording",
            Self::Vendor { provider, .. } => provider,
            Self::Compatible { .. } => "own-server",
        }
    }

    /// The section of the configuration that its provider needs; the built-in ones need none.
    pub(crate) fn provider_section(self, cassette: &str) -> String {
        match self {
            Self::Recording => format!(
                "llm_providers:\n  # No model thinks here: the replies come from a file.\n  \
                 recording: {{ type: replay, cassette: {cassette} }}\n"
            ),
            Self::Vendor { .. } => String::new(),
            Self::Compatible { key } => {
                let key = match key {
                    CompatibleKey::Set => format!("    api_key_env: {COMPATIBLE_KEY}\n"),
                    CompatibleKey::Unset => String::new(),
                };
                format!(
                    "llm_providers:\n  own-server:\n    type: openai-compatible\n    base_url: ${{{COMPATIBLE_URL}}}\n    \
                     model: ${{TARSY_OPENAI_COMPATIBLE_MODEL:-default}}\n{key}"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast(variables: &[(&str, &str)]) -> Cast {
        Cast::of(&variables.iter().copied().collect())
    }

    #[test]
    fn a_key_brings_in_its_model() {
        assert_eq!(cast(&[]), Cast::Recording);
        assert_eq!(cast(&[("GOOGLE_API_KEY", "")]), Cast::Recording);
        assert_eq!(cast(&[("ANTHROPIC_API_KEY", "k")]).provider(), "anthropic-default");
        assert_eq!(cast(&[("OPENAI_API_KEY", "k")]).variable(), Some("OPENAI_API_KEY"));
        let both = cast(&[("OPENAI_API_KEY", "k"), (COMPATIBLE_URL, "http://localhost:11434/v1")]);
        assert_eq!(both, Cast::Compatible { key: CompatibleKey::Unset });
    }
}
