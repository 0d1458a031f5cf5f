//! `tarsy tools call`: one call, and what an agent would see of it.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anyhow::Context;
use tarsy_domain::{ToolCall, ToolName, ToolStatus, resolve_tool_name, tokens_at_most};
use tarsy_engine::{Digest, Digester, SetupError, Shortening, ToolText};
use tarsy_llm::Tags;
use tarsy_tools::{Progress, ServerState, ToolBox, ToolOutcome};
use tokio_util::sync::CancellationToken;

use super::Bench;
use crate::arguments::CallToolArguments;
use crate::exit_status::{INTERRUPTED, MISUSED};
use crate::terminal::{line_of, printable, say};

/// What a shortened result is called in its note.
const RESULT_ID: &str = "call-1";

/// Calls a tool. What an agent would see goes to stdout, everything else to stderr.
pub(super) async fn call(
    bench: &Bench,
    arguments: &CallToolArguments,
    stop: &CancellationToken,
) -> anyhow::Result<ExitCode> {
    let toolbox = match bench.open(&servers_meant(bench, &arguments.tool), stop).await {
        Ok(Some(toolbox)) => toolbox,
        Ok(None) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(unknown) => {
            say(&unknown)?;
            return Ok(ExitCode::from(MISUSED));
        }
    };
    let asked = ToolCall {
        id: RESULT_ID.to_owned(),
        name: arguments.tool.clone(),
        arguments: arguments.arguments.clone(),
    };
    let called = toolbox.call(&asked, stop, |progress| show_progress(&progress)).await;
    let ended = match called {
        Ok(outcome) => show(bench, arguments, &outcome, exit_code(&toolbox, &outcome), stop).await,
        Err(cancelled) => say(&cancelled).map(|()| INTERRUPTED),
    };
    toolbox.close().await;
    ended.map(ExitCode::from)
}

/// The server that the name of the tool begins with, or all if it begins with none.
fn servers_meant(bench: &Bench, tool: &str) -> Vec<String> {
    let all = bench.server_names();
    let vendor_form = || tool.split_once("__").map(|(server, _)| server);
    let Some(server) = ToolName::parse(tool).server().or_else(vendor_form) else { return all };
    match resolve_tool_name(server, all.iter().map(String::as_str)) {
        Ok(known) => vec![known.to_owned()],
        Err(_) => vec![server.to_owned()],
    }
}

/// 0 for an answer, 1 for an error, 2 for a call that could not be made as it was written.
fn exit_code(toolbox: &ToolBox, outcome: &ToolOutcome) -> u8 {
    let all_ready = toolbox.health().iter().all(|server| server.state == ServerState::Ready);
    match outcome.status {
        ToolStatus::Ok => 0,
        ToolStatus::Error if outcome.attempts == 0 && (outcome.tool.is_some() || all_ready) => MISUSED,
        ToolStatus::Error | ToolStatus::TimedOut => 1,
    }
}

fn show_progress(progress: &Progress) {
    let total = progress.total.map(|total| format!(" of {total}")).unwrap_or_default();
    let message = progress.message.as_deref().unwrap_or_default();
    // Nobody is left to tell if stderr is gone.
    let _ = say(&line_of(&format!("… {}{total} {message}", progress.done), usize::MAX));
}

/// Shows what came of a call, unless somebody stops the model that shortens it.
async fn show(
    bench: &Bench,
    arguments: &CallToolArguments,
    outcome: &ToolOutcome,
    exit_code: u8,
    stop: &CancellationToken,
) -> anyhow::Result<u8> {
    let Some(tool) = outcome.tool.as_deref().filter(|_| exit_code != MISUSED) else {
        say(&outcome.text)?;
        return Ok(exit_code);
    };
    let digest = tokio::select! {
        digest = digest(bench, arguments, tool, &outcome.text) => digest?,
        () = stop.cancelled() => return Ok(INTERRUPTED),
    };
    let shown = if std::io::stdout().is_terminal() { printable(&digest.shown) } else { digest.shown.clone() };
    let end = if shown.ends_with('\n') { "" } else { "\n" };
    write!(std::io::stdout(), "{shown}{end}").context("writing the result")?;
    say(&remark(tool, outcome, &digest))?;
    Ok(exit_code)
}

async fn digest(
    bench: &Bench,
    arguments: &CallToolArguments,
    tool: &str,
    text: &str,
) -> anyhow::Result<Digest> {
    if arguments.full {
        return Ok(Digest { shown: text.to_owned(), how: Shortening::None });
    }
    let server = ToolName::parse(tool).server().unwrap_or(tool);
    let provider = bench.config.default_provider();
    let plainly = || Digester::for_server(&bench.config, server, provider);
    let digester = match arguments.summarize {
        true => summarizing(bench, server, provider).or_else(|error| {
            // The call was made, and its result is not to be lost.
            say(&format!("there is no summary: {}", error.in_full())).map(|()| plainly())
        })?,
        false => plainly(),
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

fn summarizing(bench: &Bench, server: &str, provider: &str) -> Result<Digester, SetupError> {
    let own = || bench.models.model(provider);
    Digester::summarizing_for_server(&bench.models, bench.prompts.clone(), server, provider, own)
}

/// What there is to say about a result.
fn remark(tool: &str, outcome: &ToolOutcome, digest: &Digest) -> String {
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
            write!(text, "; shortened to about {shown}, --full shows all, --summarize asks a model")
        }
        Shortening::Summarised(summary) => {
            let origin = summary.answer.as_ref().ok().and_then(|answer| answer.origin.as_ref());
            let by = origin.map(ToString::to_string).unwrap_or_default();
            write!(text, "; summarised to about {shown} by {by} in {:.2?}", summary.duration)
        }
        Shortening::SummaryFailed(summary) => {
            let reason = summary.answer.as_ref().err().map(ToString::to_string).unwrap_or_default();
            write!(text, "; shortened to about {shown}, for there is no summary: {reason}")
        }
    };
    text
}
