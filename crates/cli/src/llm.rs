//! `tarsy llm`: sends one prompt to a model, to test the API key and the model.

use std::fs;
use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use tarsy_config::{Config, Environment, Loaded};
use tarsy_domain::{Message, ModelFailure, Role, ToolDefinition};
use tarsy_engine::Models;
use tarsy_llm::{Assembly, Chunk, Model, ModelRequest, NativeTools, RecordedModel, Tags, Tape};

use crate::arguments::{GlobalArguments, LlmArguments};
use crate::check::print_warnings;

/// Sends a prompt and prints the reply.
pub(crate) fn llm(global: &GlobalArguments, arguments: &LlmArguments) -> anyhow::Result<()> {
    let Loaded { config, warnings } = Config::load(global.config_dir(), &Environment::from_process())?;
    print_warnings(&warnings)?;
    let environment = config.environment().clone();
    let models = Models::new(Arc::new(config), Arc::new(environment));
    let name = arguments.provider.as_deref().unwrap_or_else(|| models.config().default_provider());
    let mut model = models.model(name)?;
    if let Some(path) = &arguments.record {
        let tape = Tape::new(path.clone(), &format!("Recorded from {}", model.origin()))?;
        model = Arc::new(RecordedModel::new(model, Arc::new(tape)));
    }
    let request = request(arguments)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting the runtime")?;
    runtime.block_on(print_reply(&*model, request, arguments.json))
}

async fn print_reply(model: &dyn Model, request: ModelRequest, json: bool) -> anyhow::Result<()> {
    let started = Instant::now();
    let mut printer = ReplyPrinter::new(json);
    let (mut assembly, mut first) = (Assembly::default(), None);
    let mut reply = model.stream(request);
    while let Some(chunk) = reply.next().await {
        let chunk = match chunk {
            Ok(chunk) => chunk,
            Err(error) => {
                printer.fail(&error.failure).context("writing the reply")?;
                bail!("{} failed: {error} ({})", model.origin(), error.failure.kind);
            }
        };
        if !matches!(chunk, Chunk::From(_)) {
            first.get_or_insert(started.elapsed());
        }
        printer.print(&chunk).context("writing the reply")?;
        assembly.add(chunk);
    }
    printer.finish(&assembly, first.unwrap_or_default(), started.elapsed()).context("writing the reply")
}

fn request(arguments: &LlmArguments) -> anyhow::Result<ModelRequest> {
    let mut messages: Vec<Message> = arguments.system.iter().map(Message::system).collect();
    if let Some(path) = &arguments.messages {
        messages.extend(json_file::<Vec<Message>>(path, r#"[{"role": "user", "content": "…"}, …]"#)?);
    }
    if let Some(prompt) = &arguments.prompt {
        messages.push(Message::user(text_or_stdin(prompt)?));
    }
    ensure!(
        messages.iter().any(|message| message.role != Role::System),
        "there is no message for the model; pass a prompt or --messages"
    );
    let tools: Vec<Arc<ToolDefinition>> = match &arguments.tools {
        Some(path) => {
            json_file(path, r#"[{"name": "server.tool", "description": "…", "input_schema": {…}}, …]"#)?
        }
        None => Vec::new(),
    };
    Ok(ModelRequest {
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: tools.into(),
        native_tools: NativeTools::default(),
        stop_sequences: &[],
        tags: Tags { agent: "llm".to_owned(), turn: 1, ..Tags::default() },
    })
}

fn text_or_stdin(prompt: &str) -> anyhow::Result<String> {
    if prompt != "-" {
        return Ok(prompt.to_owned());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("reading stdin")?;
    ensure!(!text.trim().is_empty(), "stdin is empty");
    Ok(text)
}

/// Reads a JSON file; the error shows the expected form.
fn json_file<T: DeserializeOwned>(path: &Path, form: &str) -> anyhow::Result<T> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} does not have the form {form}", path.display()))
}

/// Prints a reply to stdout, and thinking and statistics to stderr.
struct ReplyPrinter {
    json: bool,
    colors: bool,
    thinking: bool,
    /// Whether the last line of stdout is not terminated.
    in_line: bool,
}

impl ReplyPrinter {
    fn new(json: bool) -> Self {
        Self { json, colors: std::io::stderr().is_terminal() && !json, thinking: false, in_line: false }
    }

    fn print(&mut self, chunk: &Chunk) -> std::io::Result<()> {
        let mut out = std::io::stdout();
        if self.json {
            writeln!(out, "{}", serde_json::json!(chunk))?;
            return out.flush();
        }
        match chunk {
            Chunk::Text(text) => {
                self.stop_thinking()?;
                self.in_line = if text.is_empty() { self.in_line } else { !text.ends_with('\n') };
                write!(out, "{text}")?;
                out.flush()
            }
            Chunk::Thinking(text) => self.think(text),
            Chunk::ToolCall(call) => {
                self.end_line()?;
                writeln!(out, "→ {} {}", call.name, call.arguments)
            }
            Chunk::CodeExecution(execution) => {
                self.end_line()?;
                writeln!(out, "→ code execution\n{}\n{}", execution.code, execution.result)
            }
            Chunk::Fallback { failed, failure } => {
                writeln!(std::io::stderr(), "{failed} failed: {failure}")
            }
            Chunk::CutOff => {
                self.end_line()?;
                writeln!(std::io::stderr(), "the reply was cut off at the model's output limit")
            }
            Chunk::From(_) | Chunk::Grounding(_) | Chunk::Usage(_) | Chunk::State(_) => Ok(()),
        }
    }

    /// Prints thinking to stderr, dimmed, so that it is visible and not part of piped output.
    fn think(&mut self, text: &str) -> std::io::Result<()> {
        let dim = if self.colors && !self.thinking { "\u{1b}[2m" } else { "" };
        self.thinking = true;
        write!(std::io::stderr(), "{dim}{text}")?;
        std::io::stderr().flush()
    }

    fn stop_thinking(&mut self) -> std::io::Result<()> {
        if !std::mem::take(&mut self.thinking) {
            return Ok(());
        }
        writeln!(std::io::stderr(), "{}", if self.colors { "\u{1b}[0m" } else { "" })
    }

    /// Terminates the current line.
    fn end_line(&mut self) -> std::io::Result<()> {
        self.stop_thinking()?;
        if std::mem::take(&mut self.in_line) {
            writeln!(std::io::stdout())?;
        }
        Ok(())
    }

    /// Prints a failure, after a partial reply or instead of one.
    fn fail(&mut self, failure: &ModelFailure) -> std::io::Result<()> {
        if self.json {
            return writeln!(std::io::stdout(), "{}", serde_json::json!({ "error": failure }));
        }
        self.end_line()
    }

    fn finish(&mut self, assembly: &Assembly, first: Duration, all: Duration) -> std::io::Result<()> {
        self.end_line()?;
        if self.json {
            return Ok(());
        }
        let usage = assembly.reply.usage;
        let origin = assembly.origin.as_ref().map(ToString::to_string).unwrap_or_default();
        writeln!(
            std::io::stderr(),
            "{origin}: first chunk after {first:.2?}, complete after {all:.2?}; {} tokens in ({} cached), {} out ({} thinking)",
            usage.input_tokens,
            usage.cached_tokens,
            usage.output_tokens,
            usage.thinking_tokens
        )
    }
}
