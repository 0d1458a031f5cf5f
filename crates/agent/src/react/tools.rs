//! The tools that a reply can call, and the resolution of written names.

use std::sync::Arc;

use tarsy_domain::{ToolDefinition, UnknownTool, resolve_tool_name};

use super::parameters::required_parameters;

/// Namespaces that models and chat templates put before the names of tools.
const NAMESPACES: [&str; 6] = ["functions.", "function.", "tools.", "tool.", "default_api.", "mcp__"];

/// The tools that a reply can call.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReplyTools<'t> {
    /// Not known: any name of the form `server.tool` is accepted.
    Any,
    Known(&'t [Arc<ToolDefinition>]),
}

impl<'t> ReplyTools<'t> {
    /// Returns the tool with a name, if the tools are known.
    pub(super) fn find(self, name: &str) -> Option<&'t ToolDefinition> {
        match self {
            Self::Any => None,
            Self::Known(tools) => resolve(name, tools).ok(),
        }
    }

    /// Returns whether a name is the name of a tool, as far as that is known.
    pub(super) fn accepts(self, name: &str) -> bool {
        match self {
            Self::Any => name.contains('.'),
            Self::Known(_) => self.find(name).is_some(),
        }
    }

    /// Returns whether two names refer to the same tool.
    pub(super) fn are_equal(self, one: &str, other: &str) -> bool {
        let name = |name| self.find(name).map(|tool| tool.name.as_str());
        one == other || name(one).is_some_and(|found| Some(found) == name(other))
    }

    /// Returns the exact name of a tool, or the name as written.
    pub(super) fn exact_name(self, name: &str) -> String {
        self.find(name).map_or(name, |tool| &tool.name).to_owned()
    }

    /// Returns whether a tool can be called without an input.
    pub(super) fn needs_no_input(self, name: &str) -> bool {
        let required = self.find(name).and_then(required_parameters);
        required.is_some_and(|required| required.is_empty())
    }
}

/// Returns the one tool that a written name refers to.
pub(crate) fn resolve<'t>(
    name: &str,
    tools: &'t [Arc<ToolDefinition>],
) -> Result<&'t ToolDefinition, UnknownTool> {
    let names = tools.iter().map(|tool| tool.name.as_str());
    let exact = resolve_tool_name(name, names.clone()).or_else(|unknown| {
        let others = spellings(name);
        others.iter().find_map(|other| resolve_tool_name(other, names.clone()).ok()).ok_or(unknown)
    })?;
    let found = tools.iter().find(|tool| tool.name == exact);
    found.map(Arc::as_ref).ok_or_else(|| UnknownTool { requested: name.to_owned(), nearest: Vec::new() })
}

/// Returns other spellings of a name: without a namespace, without the number of the call, and with a dot for
/// another separator.
fn spellings(name: &str) -> Vec<String> {
    let name = name.trim();
    let bare = NAMESPACES.iter().find_map(|namespace| name.strip_prefix(namespace)).unwrap_or(name);
    let bare = match bare.rsplit_once(':') {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        Some(_) | None => bare,
    };
    let mut spellings = Vec::new();
    if bare != name {
        spellings.push(bare.to_owned());
    }
    if let Some((server, tool)) = bare.split_once("::").or_else(|| bare.split_once(['/', ':'])) {
        spellings.push(format!("{server}.{tool}"));
    }
    spellings
}
