//! `tarsy llm`: one prompt, one answer, to see that key and model work.

use std::fs;
use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use tarsy_config::{Config, Environment, Loaded};
use tarsy_domain::{Message, ToolDefinition};
use tarsy_llm::{Assembly, Chunk, Model, ModelRequest, NativeTools, Recorded, Tags, Tape};

use crate::arguments::{LlmArguments, Shared};
use crate::check::print_warnings;
use crate::models::Models;

/// Asks a model and shows what it says.
pub(crate) fn llm(shared: &Shared, arguments: &LlmArguments) -> anyhow::Result<()> {
    let environment = Environment::from_process();
    let Loaded { config, warnings } = Config::load(shared.config_dir(), &environment)?;
    print_warnings(&warnings)?;
    let name = arguments.provider.as_deref().unwrap_or_else(|| config.default_provider());
    let mut model = Models { config: &config, environment: &environment }.model(name)?;
    if let Some(path) = &arguments.record {
        let tape = Tape::new(path.clone(), &format!("Recorded from {}", model.origin()))?;
        model = Arc::new(Recorded::new(model, Arc::new(tape)));
    }
    let request = request(arguments)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting the runtime")?;
    runtime.block_on(answer(&*model, request, arguments.json))
}

async fn answer(model: &dyn Model, request: ModelRequest, json: bool) -> anyhow::Result<()> {
    let began = Instant::now();
    let mut screen = Screen::new(json);
    let (mut assembly, mut first) = (Assembly::default(), None);
    let mut reply = model.stream(request);
    while let Some(chunk) = reply.next().await {
        let chunk = chunk.context("asking the model")?;
        if !matches!(chunk, Chunk::From(_)) {
            first.get_or_insert(began.elapsed());
        }
        screen.show(&chunk).context("writing the answer")?;
        assembly.add(chunk);
    }
    screen.end(&assembly, first.unwrap_or_default(), began.elapsed()).context("writing the answer")
}

fn request(arguments: &LlmArguments) -> anyhow::Result<ModelRequest> {
    let mut messages: Vec<Message> = arguments.system.iter().map(Message::system).collect();
    if let Some(path) = &arguments.messages {
        messages.extend(json_file::<Vec<Message>>(path)?);
    }
    if let Some(prompt) = &arguments.prompt {
        messages.push(Message::user(text_or_stdin(prompt)?));
    }
    let tools: Vec<ToolDefinition> =
        arguments.tools.as_deref().map(json_file).transpose()?.unwrap_or_default();
    Ok(ModelRequest {
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: tools.into(),
        native_tools: NativeTools::default(),
        tags: Tags { agent: "llm".to_owned(), turn: 1, ..Tags::default() },
    })
}

fn text_or_stdin(prompt: &str) -> anyhow::Result<String> {
    if prompt != "-" {
        return Ok(prompt.to_owned());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("reading standard input")?;
    Ok(text)
}

fn json_file<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("reading {}", path.display()))
}

/// Where the answer goes: what the model says to stdout, what there is to say about it to stderr.
struct Screen {
    json: bool,
    colours: bool,
    thinking: bool,
}

impl Screen {
    fn new(json: bool) -> Self {
        Self { json, colours: std::io::stderr().is_terminal() && !json, thinking: false }
    }

    fn show(&mut self, chunk: &Chunk) -> std::io::Result<()> {
        let mut out = std::io::stdout();
        if self.json {
            writeln!(out, "{}", serde_json::json!(chunk))?;
            return out.flush();
        }
        match chunk {
            Chunk::Text(text) => {
                self.stop_thinking()?;
                write!(out, "{text}")?;
                out.flush()
            }
            Chunk::Thinking(text) => self.think(text),
            Chunk::ToolCall(call) => {
                self.stop_thinking()?;
                writeln!(out, "\n→ {} {}", call.name, call.arguments)
            }
            Chunk::CodeExecution(execution) => {
                writeln!(out, "\n→ ran code\n{}\n{}", execution.code, execution.result)
            }
            Chunk::Fallback { failed, failure } => {
                writeln!(std::io::stderr(), "{failed} could not answer: {failure}")
            }
            Chunk::From(_) | Chunk::Grounding(_) | Chunk::Usage(_) | Chunk::State(_) => Ok(()),
        }
    }

    /// Reasoning goes to stderr, dimmed, so that it is seen and does not get into pipes.
    fn think(&mut self, text: &str) -> std::io::Result<()> {
        let dim = if self.colours && !self.thinking { "\u{1b}[2m" } else { "" };
        self.thinking = true;
        write!(std::io::stderr(), "{dim}{text}")?;
        std::io::stderr().flush()
    }

    fn stop_thinking(&mut self) -> std::io::Result<()> {
        if !std::mem::take(&mut self.thinking) {
            return Ok(());
        }
        writeln!(std::io::stderr(), "{}", if self.colours { "\u{1b}[0m" } else { "" })
    }

    fn end(&mut self, assembly: &Assembly, first: Duration, all: Duration) -> std::io::Result<()> {
        self.stop_thinking()?;
        if self.json {
            return Ok(());
        }
        if !assembly.reply.text.ends_with('\n') {
            writeln!(std::io::stdout())?;
        }
        let usage = assembly.reply.usage;
        let origin = assembly.origin.as_ref().map(ToString::to_string).unwrap_or_default();
        writeln!(
            std::io::stderr(),
            "{origin}: first chunk after {first:.2?}, all after {all:.2?}; {} tokens in ({} cached), {} out ({} thinking)",
            usage.input_tokens,
            usage.cached_tokens,
            usage.output_tokens,
            usage.thinking_tokens
        )
    }
}
