//! `tarsy react`: parses a ReAct reply.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use serde_json::{Value, json};
use tarsy_agent::react::{Intent, ReactReply, parse, parse_with_tools};
use tarsy_domain::ToolDefinition;

use crate::arguments::ReactArguments;

/// Prints the parsed reply as JSON. Missing parts are null.
pub(crate) fn react(arguments: &ReactArguments) -> anyhow::Result<()> {
    let text = text(&arguments.file)?;
    let reply = match &arguments.tools {
        Some(names) => parse_with_tools(&text, &names.iter().map(|name| tool(name)).collect::<Vec<_>>()),
        None => parse(&text),
    };
    writeln!(std::io::stdout(), "{:#}", view(reply)).context("writing the reply")
}

/// Returns a tool of which only the name is known.
fn tool(name: &str) -> Arc<ToolDefinition> {
    let name = name.trim().to_owned();
    Arc::new(ToolDefinition { name, description: String::new(), input_schema: Value::Null })
}

fn text(file: &Path) -> anyhow::Result<String> {
    if file == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("reading stdin")?;
        return String::from_utf8(bytes).context("stdin is not UTF-8");
    }
    let bytes = fs::read(file).with_context(|| format!("reading {}", file.display()))?;
    String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8", file.display()))
}

fn view(reply: ReactReply) -> Value {
    let mut view = json!({
        "kind": null,
        "thought": reply.thought,
        "action": null,
        "action_input": null,
        "parameters": null,
        "final_answer": null,
        "feedback": null,
        "not_executed": reply.not_executed,
    });
    match reply.intent {
        Intent::Action(action) => {
            view["kind"] = "action".into();
            view["action"] = action.name.into();
            view["action_input"] = action.input.into();
            view["parameters"] = action.parameters.into();
        }
        Intent::FinalAnswer(answer) => {
            view["kind"] = "final_answer".into();
            view["final_answer"] = answer.into();
        }
        Intent::UnknownTool { action, feedback } => {
            view["kind"] = "unknown_tool".into();
            view["action"] = action.name.into();
            view["action_input"] = action.input.into();
            view["parameters"] = action.parameters.into();
            view["feedback"] = feedback.into();
        }
        Intent::Malformed { action, input, feedback } => {
            view["kind"] = "malformed".into();
            view["action"] = action.into();
            view["action_input"] = input.into();
            view["feedback"] = feedback.into();
        }
    }
    view
}
