//! The flags of `tarsy tools` and `tarsy tools call`.

use clap::{Args, Subcommand};

/// Arguments of `tarsy tools`.
#[derive(Debug, Args)]
pub(crate) struct ToolsArguments {
    #[command(subcommand)]
    pub(crate) command: Option<ToolsCommand>,

    #[command(flatten)]
    pub(crate) list: ListToolsArguments,
}

/// Which tools to list, and how.
#[derive(Debug, Args, PartialEq, Eq, Default)]
pub(crate) struct ListToolsArguments {
    /// Only this server; may be given several times [default: all].
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Vec<String>,

    /// Print JSON, with the schemas of the tools' arguments.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to do with tools besides listing them.
#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// Call a tool and show what an agent would see: masked, and shortened if it is long.
    #[command(after_help = "Examples:\n  \
                      tarsy tools call kubernetes-server.pods_list '{\"namespace\": \"shop\"}'\n  \
                      tarsy tools call pods_log '{\"name\": \"db-1\"}' --full | less\n  \
                      tarsy tools call pods_log '{\"name\": \"db-1\"}' --summarize --purpose 'Why does it restart?'\n\n\
                      The result goes to stdout; progress and remarks go to stderr. Ctrl-C cancels the call.\n\
                      Exit status: 0 if the tool answered, 1 if it answered with an error, could not be reached or took \
                      too long, 2 if there is no such tool or the arguments do not fit it.")]
    Call(CallToolArguments),
}

/// Arguments of `tarsy tools call`.
#[derive(Debug, Args)]
pub(crate) struct CallToolArguments {
    /// The tool, server.tool; without a server all servers are asked for it.
    #[arg(value_name = "SERVER.TOOL")]
    pub(crate) tool: String,

    /// Its arguments, a JSON object.
    #[arg(value_name = "JSON", default_value = "{}")]
    pub(crate) arguments: String,

    /// Show the whole result, however long it is. It is masked all the same.
    #[arg(long)]
    pub(crate) full: bool,

    /// Have the model summarise the result if parts of it would be left out otherwise.
    #[arg(long, conflicts_with = "full")]
    pub(crate) summarize: bool,

    /// What a summary should look for, as an agent's thoughts would say.
    #[arg(long, value_name = "TEXT", requires = "summarize")]
    pub(crate) purpose: Option<String>,
}
