//! The arguments of `tarsy tools`.

use clap::{Args, Subcommand};

/// Arguments of `tarsy tools`.
#[derive(Debug, Args)]
pub(crate) struct ToolsArguments {
    #[command(subcommand)]
    pub(crate) command: Option<ToolsCommand>,

    #[command(flatten)]
    pub(crate) list: ListToolsArguments,
}

/// Arguments of the list.
#[derive(Debug, Args, PartialEq, Eq, Default)]
pub(crate) struct ListToolsArguments {
    /// Filter by server; repeatable [default: all].
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Vec<String>,

    /// Print JSON, including the input schemas.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The subcommands of `tarsy tools`.
#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// Call a tool and print the result as an agent would see it: masked, and shortened if it is long.
    #[command(after_help = "Examples:\n  \
                      tarsy tools call kubernetes-server.pods_list '{\"namespace\": \"shop\"}'\n  \
                      tarsy tools call pods_log '{\"name\": \"db-1\"}' --full | less\n  \
                      tarsy tools call pods_log '{\"name\": \"db-1\"}' --summarize --purpose 'Why does it restart?'\n\n\
                      The result is printed to stdout, progress and notes to stderr. Ctrl-C cancels the call.\n\
                      Exit status: 0 if the tool succeeded, 1 if it failed, timed out or is unreachable, 2 if the tool is \
                      unknown or the arguments are invalid.")]
    Call(CallToolArguments),
}

/// Arguments of `tarsy tools call`.
#[derive(Debug, Args)]
pub(crate) struct CallToolArguments {
    /// Tool; without a server, all servers are searched.
    #[arg(value_name = "SERVER.TOOL")]
    pub(crate) tool: String,

    /// Arguments as a JSON object.
    #[arg(value_name = "JSON", default_value = "{}")]
    pub(crate) arguments: String,

    /// Print the complete result, still masked.
    #[arg(long)]
    pub(crate) full: bool,

    /// Summarize a long result with the model instead of truncating it.
    #[arg(long, conflicts_with = "full")]
    pub(crate) summarize: bool,

    /// Purpose of the call, which guides the summary.
    #[arg(long, value_name = "TEXT", requires = "summarize")]
    pub(crate) purpose: Option<String>,
}
