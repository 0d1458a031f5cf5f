//! The `tarsy` binary.
//!
//! Arguments come in, one command runs, its result goes to stdout and what there is to say about it to stderr.
//! The exit status is 0 when all is well, 1 when the command failed and 2 when it was called wrongly.

mod arguments;
mod check;
mod database;
mod llm;
mod llm_serve;
mod logging;
mod prompts;
mod react;
mod schema;
mod serve;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    logging::start(arguments.shared.log);
    let outcome = match &arguments.command {
        Command::Serve(serve) => serve::serve(&arguments.shared, serve),
        Command::Check(check) => check::check(&arguments.shared, check),
        Command::Prompts { command } => prompts::prompts(&arguments.shared, command),
        Command::Llm(llm) => llm::llm(&arguments.shared, llm),
        Command::LlmServe(serve) => llm_serve::llm_serve(&arguments.shared, serve),
        Command::Schema => schema::schema(),
        Command::React(react) => react::react(react),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            logging::report(&failure);
            ExitCode::FAILURE
        }
    }
}
