//! The model of the demo: the recording, or a real model if the environment has a key for one.

use tarsy_config::Environment;

/// The variable with the URL of an OpenAI-compatible server, such as Ollama.
const COMPATIBLE_URL: &str = "TARSY_OPENAI_COMPATIBLE_URL";
/// The variable with the key of that server.
const COMPATIBLE_KEY: &str = "TARSY_OPENAI_COMPATIBLE_API_KEY";

/// The variables with vendors' keys, and the built-in providers that use them.
const KEYS: [(&str, &str); 3] = [
    ("GOOGLE_API_KEY", "google-default"),
    ("OPENAI_API_KEY", "openai-default"),
    ("ANTHROPIC_API_KEY", "anthropic-default"),
];

/// The model that investigates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DemoModel {
    /// The recorded replies of the incident.
    Recording,
    /// A vendor's model.
    Vendor {
        /// The variable with the key.
        variable: &'static str,
        /// The built-in provider.
        provider: &'static str,
    },
    /// A model on an OpenAI-compatible server.
    Compatible {
        /// Whether a key is set.
        key: CompatibleKey,
    },
}

/// Whether the key of an OpenAI-compatible server is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompatibleKey {
    /// The variable is set.
    Set,
    /// The variable is not set.
    Unset,
}

impl DemoModel {
    /// Selects the model. An OpenAI-compatible server comes first, because its variable is specific to TARSy.
    pub fn from_environment(environment: &Environment) -> Self {
        if environment.has(COMPATIBLE_URL) {
            let key = if environment.has(COMPATIBLE_KEY) { CompatibleKey::Set } else { CompatibleKey::Unset };
            return Self::Compatible { key };
        }
        let ready = KEYS.into_iter().find(|(variable, _)| environment.has(variable));
        ready.map_or(Self::Recording, |(variable, provider)| Self::Vendor { variable, provider })
    }

    /// Returns the variable that selected the model.
    pub fn variable(self) -> Option<&'static str> {
        match self {
            Self::Recording => None,
            Self::Vendor { variable, .. } => Some(variable),
            Self::Compatible { .. } => Some(COMPATIBLE_URL),
        }
    }

    /// Returns the name of the provider in the configuration.
    pub(crate) fn provider(self) -> &'static str {
        match self {
            Self::Recording => "recording",
            Self::Vendor { provider, .. } => provider,
            Self::Compatible { .. } => "own-server",
        }
    }

    /// Returns the configuration of the provider; built-in providers need none.
    pub(crate) fn provider_section(self, cassette: &str) -> String {
        match self {
            Self::Recording => format!(
                "llm_providers:\n  # Plays recorded replies from a file; no model is called.\n  \
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

    fn model(variables: &[(&str, &str)]) -> DemoModel {
        DemoModel::from_environment(&variables.iter().copied().collect())
    }

    #[test]
    fn a_key_selects_its_model() {
        assert_eq!(model(&[]), DemoModel::Recording);
        assert_eq!(model(&[("GOOGLE_API_KEY", "")]), DemoModel::Recording);
        assert_eq!(model(&[("ANTHROPIC_API_KEY", "k")]).provider(), "anthropic-default");
        assert_eq!(model(&[("OPENAI_API_KEY", "k")]).variable(), Some("OPENAI_API_KEY"));
        let both = model(&[("OPENAI_API_KEY", "k"), (COMPATIBLE_URL, "http://localhost:11434/v1")]);
        assert_eq!(both, DemoModel::Compatible { key: CompatibleKey::Unset });
    }
}
