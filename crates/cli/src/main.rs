//! The `tarsy` binary.
//!
//! Parses the arguments and runs one command. Results are printed to stdout, everything else to stderr. The exit status
//! is 0 on success, 1 if the command failed and 2 for invalid arguments; some commands define more.

mod arguments;
mod check;
mod client;
mod completions;
mod database;
mod demo;
mod exit_status;
mod investigate;
mod llm;
mod llm_serve;
mod local_engine;
mod logging;
mod man;
mod mcp_guard;
mod prompts;
mod react;
mod ready;
mod replay;
mod runbook_list;
mod schema;
mod serve;
mod sessions;
mod signals;
mod system_report;
mod terminal;
mod token;
mod tools;
mod traces;
mod version;
mod watch;
mod work_directory;

use std::process::ExitCode;

use clap::Parser;

use arguments::{CliArguments, CliCommand};
use tarsy_config::Environment;
use traces::Traces;

fn main() -> ExitCode {
    if let Some(exit_code) = mcp_guard::run_if_guard() {
        return exit_code;
    }
    let arguments = CliArguments::parse();
    run_with_traces(&arguments).unwrap_or_else(|error| {
        logging::print_error(&error);
        ExitCode::FAILURE
    })
}

/// Runs a command and sends the remaining traces, also if it failed.
fn run_with_traces(arguments: &CliArguments) -> anyhow::Result<ExitCode> {
    let investigates =
        matches!(arguments.command, CliCommand::Serve(_) | CliCommand::Demo(_) | CliCommand::Investigate(_));
    let traces = if investigates { Traces::start(&Environment::from_process())? } else { None };
    logging::start(arguments.global.log, arguments.command.default_log_level(), traces.as_ref());
    let result = run(arguments);
    if let Some(traces) = traces {
        traces.finish();
    }
    result
}

fn run(arguments: &CliArguments) -> anyhow::Result<ExitCode> {
    let global = &arguments.global;
    match &arguments.command {
        CliCommand::Serve(serve) => serve::serve(global, serve)?,
        CliCommand::Demo(demo) => demo::demo(global, demo)?,
        CliCommand::DemoCluster(cluster) => demo::demo_cluster(cluster)?,
        CliCommand::Investigate(investigate) => return investigate::investigate(global, investigate),
        CliCommand::Sessions(sessions) => return sessions::sessions(sessions),
        CliCommand::Replay(replay) => return replay::replay(replay),
        CliCommand::ReplayTools(tools) => replay::replay_tools(tools)?,
        CliCommand::Check(check) => check::check(global, check)?,
        CliCommand::Prompts { command } => prompts::prompts(global, command)?,
        CliCommand::Token { command } => token::token(global, command)?,
        CliCommand::Tools(tools) => return tools::tools(global, tools),
        CliCommand::Llm(llm) => llm::llm(global, llm)?,
        CliCommand::LlmServe(serve) => llm_serve::llm_serve(global, serve)?,
        CliCommand::Schema(schema) => schema::schema(schema)?,
        CliCommand::React(react) => react::react(react)?,
        CliCommand::Ready(ready) => return ready::ready(ready),
        CliCommand::Completions(completions) => completions::completions(completions)?,
        CliCommand::Man(man) => man::man(man)?,
    }
    Ok(ExitCode::SUCCESS)
}
