//! The command line: every command, every flag, and the environment variable that stands in for a flag.

mod demo;
mod investigate;
mod replay;
mod sessions;
mod tools;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use tarsy_domain::AccessRole;
use tracing::level_filters::LevelFilter;

use crate::version::VERSION;
pub(crate) use demo::{DemoArguments, DemoClusterArguments, DemoPace};
pub(crate) use investigate::InvestigateArguments;
pub(crate) use replay::{ReplayArguments, ReplayToolsArguments};
pub(crate) use sessions::{
    ExportSessionArguments, ListSessionsArguments, SessionName, SessionsArguments, SessionsCommand,
    ShowSessionArguments,
};
pub(crate) use tools::{CallToolArguments, ListToolsArguments, ToolsArguments, ToolsCommand};

const DEFAULT_LISTEN: &str = "127.0.0.1:8080";
const DEFAULT_LLM_LISTEN: &str = "127.0.0.1:50051";

/// An AI site-reliability engineer that you run yourself.
#[derive(Debug, Parser)]
#[command(
    name = "tarsy",
    version = VERSION,
    max_term_width = 100,
    after_help = "Examples:\n  tarsy demo                         watch an investigation, without any key or cluster\n  \
                  tarsy investigate alert.txt        investigate one alert in the terminal\n  \
                  tarsy serve                        start the server on http://127.0.0.1:8080\n  \
                  tarsy sessions watch latest        follow what a server investigates\n  \
                  tarsy check config                 check a configuration directory\n  \
                  tarsy llm 'Say hello.'             see that key and model work\n  \
                  tarsy tools                        see that the MCP servers work\n  \
                  tarsy token list                   see who may come in\n  \
                  tarsy schema > tarsy.schema.json   let your editor complete and check tarsy.yaml\n  \
                  tarsy react reply.txt              show how a model's ReAct reply is read\n  \
                  tarsy replay session.json          run an exported session again, offline"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) shared: Shared,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Shared {
    /// Directory with tarsy.yaml and, if you like, llm-providers.yaml. Without it everything has its default.
    #[arg(long, global = true, alias = "config", value_name = "DIR", env = "TARSY_CONFIG_DIR", value_parser = directory)]
    config_dir: Option<Directory>,

    /// Directory for the database file [default: the user's data directory].
    #[arg(long, global = true, value_name = "DIR", env = "TARSY_DATA_DIR", value_parser = directory)]
    data_dir: Option<Directory>,

    /// How to write the log, which goes to stderr. RUST_LOG chooses what is in it.
    #[arg(long, global = true, value_name = "FORMAT", env = "TARSY_LOG", default_value = "text")]
    pub(crate) log: LogFormat,

    /// The database: sqlite:PATH or postgres://USER@HOST/DATABASE [default: tarsy.db in the data directory].
    #[arg(long, global = true, value_name = "URL", env = "TARSY_DATABASE_URL", hide_env_values = true)]
    database_url: Option<String>,
}

/// A directory, or none where a variable is set to nothing, as compose files like to do.
type Directory = Option<PathBuf>;

impl Shared {
    /// Where the configuration is.
    pub(crate) fn config_dir(&self) -> Option<&Path> {
        self.config_dir.as_ref().and_then(Option::as_deref)
    }

    /// Where data is kept, if somebody said so.
    pub(crate) fn data_dir(&self) -> Option<&Path> {
        self.data_dir.as_ref().and_then(Option::as_deref)
    }

    /// The database, if somebody said so.
    pub(crate) fn database_url(&self) -> Option<&str> {
        self.database_url.as_deref().filter(|url| !url.is_empty())
    }
}

/// The form of the log.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line, for programs.
    Json,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the server with its dashboard.
    #[command(after_help = "Example:\n  tarsy serve --listen 127.0.0.1:9000 --config-dir config")]
    Serve(ServeArguments),

    /// Watch TARSy investigate an incident of a small shop, without any key, cluster or database.
    #[command(after_help = demo::HELP)]
    Demo(DemoArguments),

    /// Investigate one alert here and now, in the terminal, without a server.
    #[command(after_help = investigate::HELP)]
    Investigate(InvestigateArguments),

    /// List, show, watch, cancel and export the investigations of a running server.
    #[command(after_help = sessions::HELP)]
    Sessions(SessionsArguments),

    /// Be the MCP server that shows the cluster of the demo.
    #[command(hide = true)]
    DemoCluster(DemoClusterArguments),

    /// Run an exported session again, offline, and see whether it comes to the same.
    #[command(after_help = replay::HELP)]
    Replay(ReplayArguments),

    /// Be an MCP server that answers as a recorded one did.
    #[command(hide = true)]
    ReplayTools(ReplayToolsArguments),

    /// Check a configuration and say what is in it.
    #[command(
        after_help = "Examples:\n  tarsy check config\n  tarsy check            the built-in configuration alone"
    )]
    Check(CheckArguments),

    /// Look at the prompts, to replace some of them.
    #[command(after_help = "Examples:\n  tarsy prompts list\n  \
                      tarsy prompts show chat.md.j2 --built-in > config/prompts/chat.md.j2")]
    Prompts {
        #[command(subcommand)]
        command: PromptsCommand,
    },

    /// Make, list and revoke the tokens that programs and people show to be let in.
    #[command(
        after_help = "Examples:\n  tarsy token create ci --role operator\n  tarsy token list\n  tarsy token revoke ci\n\n\
                      Tokens count where the configuration says `system.access.tokens: true`. They are kept in the \
                      database, so name the one that the server uses."
    )]
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },

    /// List the MCP servers with their health and tools, or call a tool.
    #[command(after_help = "Examples:\n  tarsy tools\n  tarsy tools --server kubernetes-server --json\n  \
                      tarsy tools call kubernetes-server.pods_list '{\"namespace\": \"shop\"}'\n  \
                      RUST_LOG=info tarsy tools     with what the servers write to their logs\n\n\
                      Exit status: 0 if every server can be used, 1 if one cannot, 2 if there is no such server.")]
    Tools(ToolsArguments),

    /// Send one prompt to a model and show its answer as it comes.
    #[command(
        after_help = "Examples:\n  tarsy llm 'Say hello.'\n  tarsy llm --provider anthropic-default --json 'Say hello.'\n  \
                      tarsy llm --messages conversation.json --tools tools.json"
    )]
    Llm(LlmArguments),

    /// Offer the configured models to others over gRPC (llm.v1).
    #[command(after_help = "Example:\n  tarsy llm-serve --listen 127.0.0.1:50051")]
    LlmServe(LlmServeArguments),

    /// Print the JSON Schema or the reference of tarsy.yaml, or the OpenAPI document of the HTTP interface.
    #[command(
        after_help = "Examples:\n  tarsy schema > tarsy.schema.json\n  tarsy schema openapi > openapi.json\n  tarsy schema reference | less"
    )]
    Schema(SchemaArguments),

    /// Show how a model's ReAct reply is read, as JSON.
    #[command(
        after_help = "Examples:\n  tarsy react reply.txt\n  tarsy react --tools kubernetes.pods_list,kubernetes.pods_log < reply.txt"
    )]
    React(ReactArguments),

    /// Ask the server on this machine whether it is ready, as health checks do.
    #[command(after_help = "Example:\n  tarsy ready --listen 127.0.0.1:8080\n\n\
                      Exit status: 0 if it is ready, 1 if it is not or does not answer.")]
    Ready(ReadyArguments),

    /// Print a script that lets a shell complete the commands and flags of tarsy.
    #[command(
        after_help = "Examples:\n  tarsy completions bash > ~/.local/share/bash-completion/completions/tarsy\n  \
                      tarsy completions zsh > ~/.zfunc/_tarsy\n  \
                      tarsy completions fish > ~/.config/fish/completions/tarsy.fish"
    )]
    Completions(CompletionsArguments),

    /// Print the manual page, or write the pages of all commands to a directory.
    #[command(
        after_help = "Examples:\n  tarsy man | man -l -\n  tarsy man --directory ~/.local/share/man/man1"
    )]
    Man(ManArguments),
}

impl Command {
    /// What the log has in it if nobody says so. Who serves is watched by its log; other commands say themselves what
    /// there is to say.
    pub(crate) fn usual_log_level(&self) -> LevelFilter {
        match self {
            // What goes wrong in a replay went wrong then, and is a part of the record.
            Self::Replay(_) | Self::ReplayTools(_) => LevelFilter::ERROR,
            Self::Tools(_)
            | Self::Token { .. }
            | Self::Demo(_)
            | Self::DemoCluster(_)
            | Self::Investigate(_)
            | Self::Sessions(_) => LevelFilter::WARN,
            Self::Serve(_)
            | Self::Check(_)
            | Self::Prompts { .. }
            | Self::Llm(_)
            | Self::LlmServe(_)
            | Self::Schema(_)
            | Self::React(_)
            | Self::Ready(_)
            | Self::Completions(_)
            | Self::Man(_) => LevelFilter::INFO,
        }
    }
}

/// Arguments of `tarsy schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// What to describe.
    #[arg(value_enum, default_value = "config")]
    pub(crate) of: Described,
}

/// What can be described.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Described {
    /// The configuration file tarsy.yaml, for editors.
    Config,
    /// The HTTP interface, for programs.
    Openapi,
    /// The configuration file tarsy.yaml, for people, as Markdown.
    Reference,
}

/// What to do with the prompts.
#[derive(Debug, Subcommand)]
pub(crate) enum PromptsCommand {
    /// List the templates, and which files replace them.
    #[command(after_help = "Example:\n  tarsy prompts list --config-dir config")]
    List,

    /// Print the text of a template, the one that is in use.
    #[command(after_help = "Examples:\n  tarsy prompts show chat.md.j2\n  \
                      tarsy prompts show chat.md.j2 --built-in | diff - config/prompts/chat.md.j2")]
    Show(ShowPromptArguments),
}

/// Arguments of `tarsy prompts show`.
#[derive(Debug, Args)]
pub(crate) struct ShowPromptArguments {
    /// The name of the template, as `tarsy prompts list` shows it.
    pub(crate) name: String,

    /// Print the built-in template, whatever replaces it.
    #[arg(long)]
    pub(crate) built_in: bool,
}

/// What to do with tokens.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token and print it. It is shown once and kept nowhere.
    #[command(after_help = "Examples:\n  tarsy token create ci --role operator > ci.token\n  \
                      curl -H \"Authorization: Bearer $(tarsy token create me --role viewer)\" \
                      http://127.0.0.1:8080/api/v1/sessions")]
    Create(CreateTokenArguments),

    /// List all tokens, with what they open and when they were used last.
    #[command(after_help = "Example:\n  tarsy token list")]
    List,

    /// Revoke a token. A server that runs refuses it within seconds, and ends its open streams within a minute.
    #[command(after_help = "Example:\n  tarsy token revoke ci")]
    Revoke(RevokeTokenArguments),
}

/// Arguments of `tarsy token create`.
#[derive(Debug, Args)]
pub(crate) struct CreateTokenArguments {
    /// Who it is for; the author of what is done with it.
    #[arg(value_parser = token_name)]
    pub(crate) name: String,

    /// What it opens: viewer looks, operator also submits, cancels and chats, admin also deletes.
    #[arg(long, value_name = "viewer|operator|admin")]
    pub(crate) role: AccessRole,
}

/// Arguments of `tarsy token revoke`.
#[derive(Debug, Args)]
pub(crate) struct RevokeTokenArguments {
    /// Its name, as `tarsy token list` shows it.
    pub(crate) name: String,
}

/// Flags of `tarsy serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Address and port to listen on; port 0 takes any that is free.
    #[arg(long, value_name = "ADDR:PORT", env = "TARSY_LISTEN", default_value = DEFAULT_LISTEN, value_parser = address)]
    pub(crate) listen: SocketAddr,

    /// Where to offer the configured models to others over gRPC as well, as `tarsy llm-serve` does.
    #[arg(long, value_name = "ADDR:PORT", value_parser = address)]
    pub(crate) llm_listen: Option<SocketAddr>,
}

/// Flags of `tarsy ready`.
#[derive(Debug, Args)]
pub(crate) struct ReadyArguments {
    /// The address and port that the server was told to listen on.
    #[arg(long, value_name = "ADDR:PORT", env = "TARSY_LISTEN", default_value = DEFAULT_LISTEN, value_parser = address)]
    pub(crate) listen: SocketAddr,
}

/// Arguments of `tarsy check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The directory to check [default: --config-dir].
    pub(crate) directory: Option<PathBuf>,
}

/// Arguments of `tarsy llm`.
#[derive(Debug, Args)]
pub(crate) struct LlmArguments {
    /// What to say; `-` reads it from standard input.
    #[arg(required_unless_present = "messages")]
    pub(crate) prompt: Option<String>,

    /// The provider to ask [default: the configured default].
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,

    /// Instructions to send before the prompt.
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,

    /// A JSON file with a whole conversation: [{"role": "user", "content": "…"}, …]. The prompt comes after it.
    #[arg(long, value_name = "FILE")]
    pub(crate) messages: Option<PathBuf>,

    /// A JSON file with tools to bind: [{"name": "server.tool", "description": "…", "input_schema": {…}}, …].
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,

    /// Print one chunk a line, as JSON.
    #[arg(long)]
    pub(crate) json: bool,

    /// Write the answer to a cassette, which the `replay` provider can play.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

/// Flags of `tarsy llm-serve`.
#[derive(Debug, Args)]
pub(crate) struct LlmServeArguments {
    /// Address and port to listen on; port 0 takes any that is free.
    #[arg(long, value_name = "ADDR:PORT", env = "TARSY_LLM_LISTEN", default_value = DEFAULT_LLM_LISTEN, value_parser = llm_address)]
    pub(crate) listen: SocketAddr,
}

/// Arguments of `tarsy react`.
#[derive(Debug, Args)]
pub(crate) struct ReactArguments {
    /// The file that holds the reply; `-` is standard input.
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,

    /// The tools there are, by which the action is judged [default: any name is taken as it is].
    #[arg(long, value_name = "SERVER.TOOL,…", value_delimiter = ',')]
    pub(crate) tools: Option<Vec<String>>,
}

/// Arguments of `tarsy completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

/// Arguments of `tarsy man`.
#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Where to write one page for each command.
    #[arg(long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}

/// Names are shown to people and written to logs.
fn token_name(text: &str) -> Result<String, String> {
    let is_plain = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.' | '@');
    if (1..=64).contains(&text.chars().count()) && text.chars().all(is_plain) {
        return Ok(text.to_owned());
    }
    Err("expected 1 to 64 letters, digits and `-`, `_`, `.`, `@`".to_owned())
}

/// Never fails; clap wants a parser that could.
#[allow(clippy::unnecessary_wraps, reason = "the shape of a clap parser")]
fn directory(text: &str) -> Result<Directory, std::convert::Infallible> {
    Ok(Some(PathBuf::from(text)).filter(|_| !text.is_empty()))
}

/// The same for models, which have a place of their own.
fn llm_address(text: &str) -> Result<SocketAddr, String> {
    address(if text.is_empty() { DEFAULT_LLM_LISTEN } else { text })
}

/// An address with its port; nothing at all is the default, and `localhost` is where it always is.
fn address(text: &str) -> Result<SocketAddr, String> {
    let text = if text.is_empty() { DEFAULT_LISTEN } else { text };
    let numeric = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let address = numeric.as_deref().unwrap_or(text);
    address
        .parse()
        .map_err(|_| "expected an IP address and a port, such as 127.0.0.1:8080 or [::1]:0".to_owned())
}
