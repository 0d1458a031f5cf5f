//! The `tarsy` binary.
//!
//! Arguments come in, one command runs, its result goes to stdout and what there is to say about it to stderr.
//! The exit status is 0 when all is well, 1 when the command failed and 2 when it was called wrongly.

mod arguments;
mod check;
mod client;
mod completions;
mod database;
mod demo;
mod exit_status;
mod home;
mod investigate;
mod llm;
mod llm_serve;
mod logging;
mod man;
mod mcp_guard;
mod prompts;
mod react;
mod ready;
mod replay;
mod schema;
mod serve;
mod sessions;
mod system_report;
mod terminal;
mod token;
mod tools;
mod traces;
mod version;
mod watch;
mod workshop;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use tarsy_config::Environment;
use traces::Traces;

fn main() -> ExitCode {
    if let Some(ended) = mcp_guard::run_if_asked() {
        return ended;
    }
    let arguments = Arguments::parse();
    run_with_traces(&arguments).unwrap_or_else(|failure| {
        logging::report(&failure);
        ExitCode::FAILURE
    })
}

/// Runs a command. What it did is sent to the end, also if it failed.
fn run_with_traces(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let investigates =
        matches!(arguments.command, Command::Serve(_) | Command::Demo(_) | Command::Investigate(_));
    let traces = if investigates { Traces::start(&Environment::from_process())? } else { None };
    logging::start(arguments.shared.log, arguments.command.usual_log_level(), traces.as_ref());
    let ended = run(arguments);
    if let Some(traces) = traces {
        traces.finish();
    }
    ended
}

fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let shared = &arguments.shared;
    match &arguments.command {
        Command::Serve(serve) => serve::serve(shared, serve)?,
        Command::Demo(demo) => demo::demo(shared, demo)?,
        Command::DemoCluster(cluster) => demo::demo_cluster(cluster)?,
        Command::Investigate(investigate) => return investigate::investigate(shared, investigate),
        Command::Sessions(sessions) => return sessions::sessions(sessions),
        Command::Replay(replay) => return replay::replay(replay),
        Command::ReplayTools(tools) => replay::replay_tools(tools)?,
        Command::Check(check) => check::check(shared, check)?,
        Command::Prompts { command } => prompts::prompts(shared, command)?,
        Command::Token { command } => token::token(shared, command)?,
        Command::Tools(tools) => return tools::tools(shared, tools),
        Command::Llm(llm) => llm::llm(shared, llm)?,
        Command::LlmServe(serve) => llm_serve::llm_serve(shared, serve)?,
        Command::Schema(schema) => schema::schema(schema)?,
        Command::React(react) => react::react(react)?,
        Command::Ready(asked) => return ready::ready(asked),
        Command::Completions(completions) => completions::completions(completions)?,
        Command::Man(man) => man::man(man)?,
    }
    Ok(ExitCode::SUCCESS)
}
