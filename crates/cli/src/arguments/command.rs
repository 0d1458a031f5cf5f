//! The commands with their help texts.

use clap::Subcommand;
use tracing::level_filters::LevelFilter;

use super::{
    CheckArguments, CompletionsArguments, DemoArguments, DemoClusterArguments, InvestigateArguments,
    LlmArguments, LlmServeArguments, ManArguments, PromptsCommand, ReactArguments, ReadyArguments,
    ReplayArguments, ReplayToolsArguments, SchemaArguments, ServeArguments, SessionsArguments, TokenCommand,
    ToolsArguments, demo, investigate, replay, sessions,
};

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Start the server with its dashboard.
    #[command(after_help = "Example:\n  tarsy serve --listen 127.0.0.1:9000 --config-dir config")]
    Serve(ServeArguments),

    /// Run a demo: investigate an incident of a small shop, without API key, cluster or database.
    #[command(after_help = demo::HELP)]
    Demo(DemoArguments),

    /// Investigate one alert in the terminal, without a server.
    #[command(after_help = investigate::HELP)]
    Investigate(InvestigateArguments),

    /// List, show, watch, cancel and export the sessions of a server.
    #[command(after_help = sessions::HELP)]
    Sessions(SessionsArguments),

    /// Run the MCP server for the cluster of the demo.
    #[command(hide = true)]
    DemoCluster(DemoClusterArguments),

    /// Replay an exported session offline and compare the outcome.
    #[command(after_help = replay::HELP)]
    Replay(ReplayArguments),

    /// Run an MCP server that returns recorded results.
    #[command(hide = true)]
    ReplayTools(ReplayToolsArguments),

    /// Check a configuration and print a summary.
    #[command(
        after_help = "Examples:\n  tarsy check config\n  tarsy check            check the built-in configuration"
    )]
    Check(CheckArguments),

    /// List and print prompt templates.
    #[command(after_help = "Examples:\n  tarsy prompts list\n  \
                      tarsy prompts show chat.md.j2 --built-in > config/prompts/chat.md.j2")]
    Prompts {
        #[command(subcommand)]
        command: PromptsCommand,
    },

    /// Create, list and revoke API tokens.
    #[command(
        after_help = "Examples:\n  tarsy token create ci --role operator\n  tarsy token list\n  tarsy token revoke ci\n\n\
                      The server accepts tokens if the configuration sets `system.access.tokens: true`. Tokens are stored \
                      in the database; use the same --database-url as the server."
    )]
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },

    /// List MCP servers with their health and tools, or call a tool.
    #[command(after_help = "Examples:\n  tarsy tools\n  tarsy tools --server kubernetes-server --json\n  \
                      tarsy tools call kubernetes-server.pods_list '{\"namespace\": \"shop\"}'\n  \
                      RUST_LOG=info tarsy tools     show the logs of the servers, too\n\n\
                      Exit status: 0 if every server is ready, 1 if one is not, 2 if a server is unknown.")]
    Tools(ToolsArguments),

    /// Send a prompt to a model and stream the reply.
    #[command(
        after_help = "Examples:\n  tarsy llm 'Say hello.'\n  tarsy llm --provider anthropic-default --json 'Say hello.'\n  \
                      tarsy llm --messages conversation.json --tools tools.json"
    )]
    Llm(LlmArguments),

    /// Serve the configured models over gRPC (llm.v1).
    #[command(after_help = "Example:\n  tarsy llm-serve --listen 127.0.0.1:50051")]
    LlmServe(LlmServeArguments),

    /// Print the JSON Schema or the reference of tarsy.yaml, or the OpenAPI document.
    #[command(
        after_help = "Examples:\n  tarsy schema > tarsy.schema.json\n  tarsy schema openapi > openapi.json\n  tarsy schema reference | less"
    )]
    Schema(SchemaArguments),

    /// Parse a ReAct reply of a model and print the result as JSON.
    #[command(
        after_help = "Examples:\n  tarsy react reply.txt\n  tarsy react --tools kubernetes.pods_list,kubernetes.pods_log < reply.txt"
    )]
    React(ReactArguments),

    /// Check whether the local server is ready, for health checks.
    #[command(after_help = "Example:\n  tarsy ready --listen 127.0.0.1:8080\n\n\
                      Exit status: 0 if the server is ready, 1 if it is not ready or not reachable.")]
    Ready(ReadyArguments),

    /// Print a shell completion script.
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

impl CliCommand {
    /// Returns the log level without RUST_LOG. Servers log at `info`; other commands print what users need themselves.
    pub(crate) fn default_log_level(&self) -> LevelFilter {
        match self {
            // Failures in a replay are part of the recording.
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
