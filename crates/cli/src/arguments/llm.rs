//! The arguments of `tarsy llm` and `tarsy llm-serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::parse::{DEFAULT_LLM_LISTEN, llm_address};

/// Arguments of `tarsy llm`.
#[derive(Debug, Args)]
pub(crate) struct LlmArguments {
    /// Prompt; `-` reads it from stdin.
    #[arg(required_unless_present = "messages")]
    pub(crate) prompt: Option<String>,

    /// Provider to use [default: the configured default].
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,

    /// System message to send before the prompt.
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,

    /// JSON file with a conversation to send before the prompt: [{"role": "user", "content": "…"}, …].
    #[arg(long, value_name = "FILE")]
    pub(crate) messages: Option<PathBuf>,

    /// JSON file with tools to bind: [{"name": "server.tool", "description": "…", "input_schema": {…}}, …].
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,

    /// Print chunks as JSON, one per line.
    #[arg(long)]
    pub(crate) json: bool,

    /// Record the reply to a cassette, which the `replay` provider can play.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

/// Arguments of `tarsy llm-serve`.
#[derive(Debug, Args)]
pub(crate) struct LlmServeArguments {
    /// Address and port to listen on; port 0 selects a free port.
    #[arg(long, value_name = "ADDR:PORT", env = "TARSY_LLM_LISTEN", default_value = DEFAULT_LLM_LISTEN, value_parser = llm_address)]
    pub(crate) listen: SocketAddr,
}
