//! The MCP servers and tools that an alert selects instead of those of the chain.

use serde::{Deserialize, Serialize};

use crate::tool::name::ToolName;

/// The MCP servers and tools for one alert.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct McpSelection {
    /// The servers that agents may use instead of the servers of the chain. Default: the servers of the chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(min_items = 1))]
    pub servers: Option<Vec<SelectedServer>>,
    /// Tools that the model vendors run. A tool that is not mentioned keeps its configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_tools: Option<SelectedNativeTools>,
}

/// A server and the selection of its tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SelectedServer {
    /// The name of the server in the configuration.
    pub name: String,
    /// The tools that agents may use, named as on the server. Default: all tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(min_items = 1))]
    pub tools: Option<Vec<String>>,
}

/// Tools that the model vendors run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SelectedNativeTools {
    /// Search the web.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub google_search: Option<bool>,
    /// Run code in the vendor's sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_execution: Option<bool>,
    /// Read web pages that the prompt names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_context: Option<bool>,
}

impl McpSelection {
    /// Returns the names of an agent's servers: the selected ones, or else the configured ones.
    pub fn server_names<'a>(&'a self, configured: &'a [String]) -> Vec<&'a str> {
        match self.selected() {
            [] => configured.iter().map(String::as_str).collect(),
            selected => selected.iter().map(|server| server.name.as_str()).collect(),
        }
    }

    /// Returns whether agents may use a tool.
    pub fn allows(&self, tool: ToolName<'_>) -> bool {
        let (server, tool) = tool.into_parts();
        let has_tool = |tools: &Vec<String>| tools.iter().any(|one| one == tool);
        let mut selected = self.selected().iter().filter(|selected| selected.name == server);
        self.selected().is_empty() || selected.any(|one| one.tools.as_ref().is_none_or(has_tool))
    }

    fn selected(&self) -> &[SelectedServer] {
        self.servers.as_deref().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(selection: &McpSelection, tool: &str) -> bool {
        selection.allows(ToolName::parse(tool))
    }

    #[test]
    fn selected_servers_replace_configured_ones() {
        let configured = ["a".to_owned(), "b".to_owned()];
        let none = McpSelection::default();
        assert_eq!(none.server_names(&configured), ["a", "b"]);
        assert!(allows(&none, "a.look"));
        let selection = r#"{ "servers": [{ "name": "b", "tools": ["look"] }, { "name": "c" }] }"#;
        let selection: McpSelection = serde_json::from_str(selection).unwrap();
        assert_eq!(selection.server_names(&configured), ["b", "c"]);
        let allowed = ["a.look", "b.look", "b.restart", "c.restart"].map(|tool| allows(&selection, tool));
        assert_eq!(allowed, [false, true, false, true]);
    }
}
