//! The built-in configuration: agents, chains, an MCP server and model providers.
//!
//! It is in `builtin.yaml` and is read by the same code as the files of users. `load` merges the two.

use std::sync::Arc;

use crate::Environment;
use crate::diagnostic::Severity;
use crate::reader::{self, Document};
use crate::shape::CONFIG_FILE;
use crate::source::Source;
use crate::tree::Node;
use crate::yaml;

/// The agent for chat about a session.
pub const CHAT_AGENT: &str = "ChatAgent";
/// The agent that merges parallel results.
pub const SYNTHESIS_AGENT: &str = "SynthesisAgent";
/// The agent that writes the executive summary.
pub const EXEC_SUMMARY_AGENT: &str = "ExecSummaryAgent";

/// The built-in providers that can be the default provider, in the order in which it is selected.
pub const PROVIDER_ORDER: [&str; 6] = [
    "google-default",
    "openai-default",
    "anthropic-default",
    "xai-default",
    "vertexai-default",
    "openai-compatible",
];

/// Reads the built-in configuration.
pub(crate) fn read(environment: &Environment) -> Document {
    let source = Arc::new(Source::new("built-in", include_str!("builtin.yaml")));
    let node = yaml::parse(&source.text).0.unwrap_or_else(Node::empty);
    let mut document = reader::read(&source, &node, &CONFIG_FILE, environment);
    // A user cannot change that a built-in entry has no effect yet.
    document.diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
    document
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::ConfigFile;
    use crate::rules;

    #[test]
    fn the_built_in_configuration_is_valid() {
        assert_eq!(yaml::parse(include_str!("builtin.yaml")).1, []);
        let environment: Environment =
            [("TARSY_OPENAI_COMPATIBLE_MODEL", "m"), ("TARSY_OPENAI_COMPATIBLE_URL", "http://h")]
                .into_iter()
                .collect();
        let document = read(&environment);
        assert_eq!(document.diagnostics, []);
        let file: ConfigFile = serde_json::from_value(document.value).unwrap();
        assert!(PROVIDER_ORDER.iter().all(|name| file.llm_providers.contains_key(*name)));
        assert_eq!(rules::check(&file, &ConfigFile::default(), &document.locations, &environment), []);
    }
}
