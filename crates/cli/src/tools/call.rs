//! `tarsy tools call`: calls a tool and prints the result as an agent would see it.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anyhow::Context;
use tarsy_domain::{ToolCall, ToolName, ToolStatus, resolve_tool_name, tokens_at_most};
use tarsy_engine::{Digest, Digester, SetupError, Shortening, ToolText};
use tarsy_llm::Tags;
use tarsy_tools::{CallProgress, ServerState, ToolBox, ToolOutcome};
use tokio_util::sync::CancellationToken;

use super::ToolContext;
use crate::arguments::CallToolArguments;
use crate::exit_status::{INTERRUPTED, USAGE_ERROR};
use crate::terminal::{eprint_line, sanitize, single_line};

/// The id of the result in the note about its shortening.
const RESULT_ID: &str = "call-1";

/// Calls a tool. Prints the result to stdout and everything else to stderr.
pub(super) async fn call(
    context: &ToolContext,
    arguments: &CallToolArguments,
    stop: &CancellationToken,
) -> anyhow::Result<ExitCode> {
    let toolbox = match context.open(&servers_of(context, &arguments.tool), stop).await {
        Ok(Some(toolbox)) => toolbox,
        Ok(None) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(unknown) => {
            eprint_line(&unknown)?;
            return Ok(ExitCode::from(USAGE_ERROR));
        }
    };
    let tool_call = ToolCall {
        id: RESULT_ID.to_owned(),
        name: arguments.tool.clone(),
        arguments: arguments.arguments.clone(),
    };
    let called = toolbox.call(&tool_call, stop, |progress| show_progress(&progress)).await;
    let exit_status = match called {
        Ok(outcome) => print_outcome(context, arguments, &outcome, exit_code(&toolbox, &outcome), stop).await,
        Err(cancelled) => eprint_line(&cancelled).map(|()| INTERRUPTED),
    };
    toolbox.close().await;
    exit_status.map(ExitCode::from)
}

/// Returns the server in the name of the tool, or all servers if it has none.
fn servers_of(context: &ToolContext, tool: &str) -> Vec<String> {
    let all = context.server_names();
    let vendor_form = || tool.split_once("__").map(|(server, _)| server);
    let Some(server) = ToolName::parse(tool).server().or_else(vendor_form) else { return all };
    match resolve_tool_name(server, all.iter().map(String::as_str)) {
        Ok(known) => vec![known.to_owned()],
        Err(_) => vec![server.to_owned()],
    }
}

/// Returns 0 for a result, 1 for an error, 2 for an unknown tool or invalid arguments.
fn exit_code(toolbox: &ToolBox, outcome: &ToolOutcome) -> u8 {
    let all_ready = toolbox.health().iter().all(|server| server.state == ServerState::Ready);
    match outcome.status {
        ToolStatus::Ok => 0,
        ToolStatus::Error if outcome.attempts == 0 && (outcome.tool.is_some() || all_ready) => USAGE_ERROR,
        ToolStatus::Error | ToolStatus::TimedOut => 1,
    }
}

fn show_progress(progress: &CallProgress) {
    let total = progress.total.map(|total| format!(" of {total}")).unwrap_or_default();
    let message = progress.message.as_deref().unwrap_or_default();
    // There is no way to report a failure to write to stderr.
    let _ = eprint_line(&single_line(&format!("… {}{total} {message}", progress.done), usize::MAX));
}

/// Prints the result of a call, unless the user stops its summarization.
async fn print_outcome(
    context: &ToolContext,
    arguments: &CallToolArguments,
    outcome: &ToolOutcome,
    exit_code: u8,
    stop: &CancellationToken,
) -> anyhow::Result<u8> {
    let Some(tool) = outcome.tool.as_deref().filter(|_| exit_code != USAGE_ERROR) else {
        eprint_line(&outcome.text)?;
        return Ok(exit_code);
    };
    let digest = tokio::select! {
        digest = digest(context, arguments, tool, &outcome.text) => digest?,
        () = stop.cancelled() => return Ok(INTERRUPTED),
    };
    let shown = if std::io::stdout().is_terminal() { sanitize(&digest.shown) } else { digest.shown.clone() };
    let end = if shown.ends_with('\n') { "" } else { "\n" };
    write!(std::io::stdout(), "{shown}{end}").context("writing the result")?;
    eprint_line(&note(tool, outcome, &digest))?;
    Ok(exit_code)
}

async fn digest(
    context: &ToolContext,
    arguments: &CallToolArguments,
    tool: &str,
    text: &str,
) -> anyhow::Result<Digest> {
    if arguments.full {
        return Ok(Digest { shown: text.to_owned(), how: Shortening::None });
    }
    let server = ToolName::parse(tool).server().unwrap_or(tool);
    let provider = context.config.default_provider();
    let without_model = || Digester::for_server(&context.config, server, provider);
    let digester = match arguments.summarize {
        true => summarizing(context, server, provider).or_else(|error| {
            // The call has been made; its result must not be lost.
            eprint_line(&format!("no summary: {}", error.in_full())).map(|()| without_model())
        })?,
        false => without_model(),
    };
    let result = ToolText {
        id: RESULT_ID,
        tool,
        arguments: &arguments.arguments,
        purpose: arguments.purpose.as_deref(),
        text,
        tags: Tags { agent: "tools".to_owned(), turn: 1, ..Tags::default() },
    };
    Ok(digester.digest(&result, |_| {}).await)
}

fn summarizing(context: &ToolContext, server: &str, provider: &str) -> Result<Digester, SetupError> {
    let own = || context.models.model(provider);
    Digester::summarizing_for_server(&context.models, context.prompts.clone(), server, provider, own)
}

/// Returns the note about a result: status, duration, length and shortening.
fn note(tool: &str, outcome: &ToolOutcome, digest: &Digest) -> String {
    let mut text = format!(
        "{tool}: {} after {:.2?}, about {} tokens",
        outcome.status.as_str(),
        outcome.duration,
        tokens_at_most(&outcome.text)
    );
    let shown = tokens_at_most(&digest.shown);
    // Writing to a String cannot fail.
    let _ = match &digest.how {
        Shortening::None => Ok(()),
        Shortening::Reduced => {
            write!(
                text,
                "; shortened to about {shown}; use --full for the complete result or --summarize for a summary"
            )
        }
        Shortening::Summarized(summary) => {
            let origin = summary.outcome.as_ref().ok().and_then(|reply| reply.origin.as_ref());
            let by = origin.map(ToString::to_string).unwrap_or_default();
            write!(text, "; summarized to about {shown} by {by} in {:.2?}", summary.duration)
        }
        Shortening::SummaryFailed(summary) => {
            let reason = summary.outcome.as_ref().err().map(ToString::to_string).unwrap_or_default();
            write!(text, "; shortened to about {shown}, because the summary failed: {reason}")
        }
    };
    text
}
