//! The name of a tool, `server.tool`, and its parts.
//!
//! Calls and definitions carry names as plain strings, because a model may write anything; [`ToolName`] is a
//! view of such a string. `lookup` resolves a name to a known tool.

use std::fmt;

/// The name of the built-in tool that reads a part of a stored result.
pub const READ_RESULT: &str = "tarsy.read_result";

/// A tool name split at its first dot. Parsing never fails, and `Display` writes the text that was parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ToolName<'a> {
    server: Option<&'a str>,
    tool: &'a str,
}

impl<'a> ToolName<'a> {
    /// Splits `name` into server and tool. A name without a dot has no server.
    pub fn parse(name: &'a str) -> Self {
        match name.split_once('.') {
            Some((server, tool)) => Self { server: Some(server), tool },
            None => Self { server: None, tool: name },
        }
    }

    /// Combines the parts as they are recorded: an empty `server` means a name without a server.
    pub fn from_parts(server: &'a str, tool: &'a str) -> Self {
        Self { server: Some(server).filter(|server| !server.is_empty()), tool }
    }

    /// Returns the part before the first dot.
    pub fn server(self) -> Option<&'a str> {
        self.server
    }

    /// Returns the part after the first dot, or the whole name if it has none.
    pub fn tool(self) -> &'a str {
        self.tool
    }

    /// Returns server and tool as they are recorded: the server is empty for a name without one.
    pub fn into_parts(self) -> (&'a str, &'a str) {
        (self.server.unwrap_or_default(), self.tool)
    }
}

impl fmt::Display for ToolName<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.server {
            Some(server) => write!(formatter, "{server}.{}", self.tool),
            None => formatter.write_str(self.tool),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_a_name_at_its_first_dot() {
        let cases = [
            ("kubernetes.pods_list", Some("kubernetes"), "pods_list"),
            ("a.b.c", Some("a"), "b.c"),
            ("read_result", None, "read_result"),
            (".tool", Some(""), "tool"),
            ("", None, ""),
        ];
        for (text, server, tool) in cases {
            let name = ToolName::parse(text);
            assert_eq!((name.server(), name.tool()), (server, tool), "{text}");
            assert_eq!(name.to_string(), text);
        }
        assert_eq!(ToolName::from_parts("", "read_result"), ToolName::parse("read_result"));
        assert_eq!(ToolName::from_parts("a", "b.c").into_parts(), ("a", "b.c"));
    }
}
