//! The arguments of `tarsy prompts`.

use clap::{Args, Subcommand};

/// The subcommands of `tarsy prompts`.
#[derive(Debug, Subcommand)]
pub(crate) enum PromptsCommand {
    /// List the templates and the files that replace them.
    #[command(after_help = "Example:\n  tarsy prompts list --config-dir config")]
    List,

    /// Print the template that is in use.
    #[command(after_help = "Examples:\n  tarsy prompts show chat.md.j2\n  \
                      tarsy prompts show chat.md.j2 --built-in | diff - config/prompts/chat.md.j2")]
    Show(ShowPromptArguments),
}

/// Arguments of `tarsy prompts show`.
#[derive(Debug, Args)]
pub(crate) struct ShowPromptArguments {
    /// Name of the template, as in `tarsy prompts list`.
    pub(crate) name: String,

    /// Print the built-in template even if a file replaces it.
    #[arg(long)]
    pub(crate) built_in: bool,
}
