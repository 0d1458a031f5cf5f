//! Feedback on a tool that does not exist: the nearest tools with their descriptions, and the names of the others.

use std::sync::Arc;

use tarsy_domain::{ToolDefinition, ToolName, UnknownTool};

use super::{NO_SUCH_TOOL, SHOWN_NAME_CHARS, quoted, shown};
use crate::escape::short_line;

/// Maximum number of tools that are listed with their descriptions, and of characters of a description.
const DESCRIBED_TOOLS: usize = 5;
const SHOWN_DESCRIPTION_CHARS: usize = 120;
/// Maximum number of other tools that are listed by name.
const LISTED_TOOLS: usize = 100;

/// Returns the feedback on a tool that does not exist.
pub(crate) fn unknown_tool(unknown: &UnknownTool, tools: &[Arc<ToolDefinition>]) -> String {
    let name = format!("{NO_SUCH_TOOL} `{}`.", shown(&unknown.requested));
    if tools.is_empty() {
        return format!("{name} No tools are available: give your final answer.");
    }
    let nearest = nearest(unknown, tools);
    let mut text = name;
    if !nearest.is_empty() {
        text += " The nearest tools:";
        nearest.iter().for_each(|tool| text += &format!("\n- {}", described(tool)));
    }
    let others: Vec<&str> = tools
        .iter()
        .filter(|tool| !nearest.iter().any(|near| near.name == tool.name))
        .map(|tool| tool.name.as_str())
        .collect();
    if !others.is_empty() {
        let listed = others.iter().take(LISTED_TOOLS).map(|name| short_line(name, SHOWN_NAME_CHARS));
        let listed = listed.collect::<Vec<_>>().join(", ");
        let label = if nearest.is_empty() { " Available tools" } else { "\nOther tools" };
        text += &format!("{label}: {listed}");
        let more = others.len().saturating_sub(LISTED_TOOLS);
        text += &if more == 0 { ".".to_owned() } else { format!(", and {more} more.") };
    }
    text
}

/// Returns the tools with similar names, then tools with a word of the name, up to a limit.
fn nearest<'t>(unknown: &UnknownTool, tools: &'t [Arc<ToolDefinition>]) -> Vec<&'t ToolDefinition> {
    let named = |name: &String| tools.iter().find(|tool| tool.name == *name);
    let mut nearest: Vec<&ToolDefinition> =
        unknown.nearest.iter().filter_map(named).map(Arc::as_ref).collect();
    let wanted = words(ToolName::parse(&shown(&unknown.requested)).tool());
    for tool in tools {
        let has_word = || words(ToolName::parse(&tool.name).tool()).iter().any(|word| wanted.contains(word));
        let is_listed = nearest.iter().any(|near| near.name == tool.name);
        if nearest.len() < DESCRIBED_TOOLS && !is_listed && (tools.len() <= DESCRIBED_TOOLS || has_word()) {
            nearest.push(tool);
        }
    }
    nearest
}

/// Returns the words of a name in lower case, without a plural `s`.
fn words(name: &str) -> Vec<String> {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    words.map(|word| word.to_lowercase().trim_end_matches('s').to_owned()).collect()
}

/// Returns the name of a tool with the first sentence of its description.
fn described(tool: &ToolDefinition) -> String {
    let name = quoted(&tool.name);
    let line = short_line(&tool.description, SHOWN_DESCRIPTION_CHARS);
    let sentence = line.find(". ").map_or(line.as_str(), |end| &line[..=end]);
    if sentence.is_empty() { name } else { format!("{name}: {sentence}") }
}
