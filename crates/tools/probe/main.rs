//! A program for the tests of this crate.
//!
//! - `guard PROGRAM ARGUMENTS…` runs the guard of a server.
//! - `hold PROGRAM ARGUMENTS…` connects to a server, prints its health, and stays connected until killed.
//! - `visit URL` connects over streamable HTTP, lists the tools and calls each of them, or makes the calls
//!   that the MCP project's conformance suite prescribes, and prints its peak memory.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_domain::ToolCall;
use tarsy_tools::{
    Guard, HttpEndpoint, Pool, Program, Screen, ServerContext, ServerSettings, ToolInfo, Transport, run_guard,
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
    Ok(Pool::new(ServerContext {
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
    let toolbox = pool.open([ServerSettings::new("host", Transport::Http(HttpEndpoint::new(url)))]).await;
    let mut out = io::stdout();
    writeln!(out, "{:?}", toolbox.health())?;
    let tools = toolbox.tools();
    let calls = prescribed_calls()?
        .unwrap_or_else(|| tools.iter().map(|tool| example_call(tool, &tools[0])).collect());
    for call in calls {
        let outcome = toolbox.call(&call, &CancellationToken::new(), |_| {}).await;
        writeln!(out, "{outcome:?}")?;
    }
    pool.close().await;
    let status = std::fs::read_to_string("/proc/self/status")?;
    status.lines().filter(|line| line.starts_with("VmHWM")).try_for_each(|line| writeln!(out, "{line}"))
}

/// Returns the calls that a scenario of the conformance suite prescribes, if any.
fn prescribed_calls() -> io::Result<Option<Vec<ToolCall>>> {
    let Ok(context) = std::env::var("MCP_CONFORMANCE_CONTEXT") else { return Ok(None) };
    let context: Value = serde_json::from_str(&context)?;
    let calls = context.get("toolCalls").and_then(Value::as_array);
    let call = |call: &Value| tool_call(call["name"].as_str().unwrap_or_default(), &call["arguments"]);
    Ok(calls.map(|calls| calls.iter().map(call).collect()))
}

fn tool_call(name: &str, arguments: &Value) -> ToolCall {
    ToolCall { id: "1".to_owned(), name: name.to_owned(), arguments: arguments.to_string() }
}

/// Returns a call with arguments that match a simple schema. An argument of type object is the schema of the
/// first tool: a scenario of the conformance suite inspects it.
fn example_call(tool: &ToolInfo, first: &ToolInfo) -> ToolCall {
    let properties = tool.definition.input_schema.get("properties").and_then(Value::as_object);
    let example = |schema: &Value| match schema.get("type").and_then(Value::as_str) {
        Some("number" | "integer") => json!(5),
        Some("boolean") => json!(true),
        Some("object") => json!(first.definition.input_schema),
        Some(_) | None => json!("text"),
    };
    let arguments: Value =
        properties.into_iter().flatten().map(|(name, schema)| (name.clone(), example(schema))).collect();
    tool_call(&tool.definition.name, &arguments)
}
