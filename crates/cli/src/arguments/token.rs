//! The arguments of `tarsy token`.

use clap::{Args, Subcommand};
use tarsy_domain::AccessRole;

use super::parse::token_name;

/// The subcommands of `tarsy token`.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token and print it. It is not stored and cannot be printed again.
    #[command(after_help = "Examples:\n  tarsy token create ci --role operator > ci.token\n  \
                      curl -H \"Authorization: Bearer $(tarsy token create me --role viewer)\" \
                      http://127.0.0.1:8080/api/v1/sessions")]
    Create(CreateTokenArguments),

    /// List all tokens with their roles and last use.
    #[command(after_help = "Example:\n  tarsy token list")]
    List,

    /// Revoke a token. A running server rejects it within seconds and closes its streams within a minute.
    #[command(after_help = "Example:\n  tarsy token revoke ci")]
    Revoke(RevokeTokenArguments),
}

/// Arguments of `tarsy token create`.
#[derive(Debug, Args)]
pub(crate) struct CreateTokenArguments {
    /// Name of the user or program; recorded as the author of its actions.
    #[arg(value_parser = token_name)]
    pub(crate) name: String,

    /// Role: viewer may read, operator may also submit, cancel and chat, admin may also delete.
    #[arg(long, value_name = "viewer|operator|admin")]
    pub(crate) role: AccessRole,
}

/// Arguments of `tarsy token revoke`.
#[derive(Debug, Args)]
pub(crate) struct RevokeTokenArguments {
    /// Name of the token, as in `tarsy token list`.
    pub(crate) name: String,
}
