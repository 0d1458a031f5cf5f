//! A program for the tests of this crate: what `tarsy` does for its users, without the rest of it.
//!
//! - `guard PROGRAM ARGUMENTS…` is the guard of a server.
//! - `hold PROGRAM ARGUMENTS…` keeps a server until it is killed, and says when it is ready.
//! - `visit URL` connects over streamable HTTP, lists the tools and calls each, as the MCP project's conformance suite wants.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_domain::ToolCall;
use tarsy_tools::{
    Endpoint, Guard, Pool, Program, Screen, ServerSettings, Surroundings, ToolInfo, Transport, run_guard,
};
use tokio_util::sync::CancellationToken;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let job = arguments.next().unwrap_or_default();
    let rest: Vec<OsString> = arguments.collect();
    let done = match job.to_str() {
        Some("guard") => return ExitCode::from(u8::try_from(run_guard(rest)).unwrap_or(1)),
        Some("hold") => run(hold(rest)),
        Some("visit") => run(visit(rest)),
        Some(_) | None => Err(io::Error::other("guard, hold or visit")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(job: impl Future<Output = io::Result<()>>) -> io::Result<()> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(job)
}

fn pool() -> io::Result<Pool> {
    let path = std::env::vars().filter(|(name, _)| name == "PATH" || name == "HOME");
    Ok(Pool::new(Surroundings {
        base_environment: Arc::new(BTreeMap::from_iter(path)),
        guard: Guard { program: std::env::current_exe()?, arguments: vec!["guard".to_owned()] },
        screen: Screen::transparent(),
    }))
}

async fn hold(command: Vec<OsString>) -> io::Result<()> {
    let mut command = command.into_iter().map(|part| part.to_string_lossy().into_owned());
    let program = Program::new(command.next().unwrap_or_default(), command);
    let pool = pool()?;
    let toolbox = pool.open([ServerSettings::new("held", Transport::Stdio(program))]).await;
    let mut out = io::stdout();
    writeln!(out, "{:?}", toolbox.health())?;
    out.flush()?;
    std::future::pending().await
}

async fn visit(arguments: Vec<OsString>) -> io::Result<()> {
    let url = arguments.last().map(|url| url.to_string_lossy().into_owned()).unwrap_or_default();
    let pool = pool()?;
    let toolbox = pool.open([ServerSettings::new("host", Transport::Http(Endpoint::new(url)))]).await;
    writeln!(io::stdout(), "{:?}", toolbox.health())?;
    for tool in toolbox.tools() {
        let call = ToolCall {
            id: "1".to_owned(),
            name: tool.definition.name.clone(),
            arguments: example_arguments(&tool).to_string(),
        };
        let outcome = toolbox.call(&call, &CancellationToken::new(), |_| {}).await;
        writeln!(io::stdout(), "{outcome:?}")?;
    }
    pool.close().await;
    Ok(())
}

/// Arguments that fit a simple schema.
fn example_arguments(tool: &ToolInfo) -> Value {
    let properties = tool.definition.input_schema.get("properties").and_then(Value::as_object);
    let example = |schema: &Value| match schema.get("type").and_then(Value::as_str) {
        Some("number" | "integer") => json!(5),
        Some("boolean") => json!(true),
        Some(_) | None => json!("text"),
    };
    properties.into_iter().flatten().map(|(name, schema)| (name.clone(), example(schema))).collect()
}
