//! An alert's own choice of MCP servers and their tools.

use serde::Deserialize;
use tarsy_domain::ToolName;

/// What an alert chose. If it names servers, its agents have exactly those.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct ServerSelection {
    #[serde(default)]
    servers: Vec<SelectedServer>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct SelectedServer {
    name: String,
    /// All of them if it names none.
    tools: Option<Vec<String>>,
}

impl ServerSelection {
    /// The servers of an agent that has its own by its configuration.
    pub(crate) fn servers<'a>(&'a self, own: &'a [String]) -> Vec<&'a str> {
        if self.servers.is_empty() {
            return own.iter().map(String::as_str).collect();
        }
        self.servers.iter().map(|chosen| chosen.name.as_str()).collect()
    }

    /// Whether a tool, `server.tool`, may be used.
    pub(crate) fn allows(&self, name: &str) -> bool {
        if self.servers.is_empty() {
            return true;
        }
        let (server, tool) = ToolName::parse(name).into_parts();
        let mut chosen = self.servers.iter().filter(|chosen| chosen.name == server);
        chosen.any(|chosen| chosen.tools.as_ref().is_none_or(|tools| tools.iter().any(|one| one == tool)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_takes_the_place_of_what_is_configured() {
        let own = ["a".to_owned(), "b".to_owned()];
        let nothing = ServerSelection::default();
        assert_eq!(nothing.servers(&own), ["a", "b"]);
        assert!(nothing.allows("a.look"));
        let chosen = r#"{ "servers": [{ "name": "b", "tools": ["look"] }, { "name": "c" }] }"#;
        let chosen: ServerSelection = serde_json::from_str(chosen).unwrap();
        assert_eq!(chosen.servers(&own), ["b", "c"]);
        let allowed = ["a.look", "b.look", "b.restart", "c.restart"].map(|name| chosen.allows(name));
        assert_eq!(allowed, [false, true, false, true]);
    }
}
