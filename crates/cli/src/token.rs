//! `tarsy token`: API tokens.

use std::io::Write;

use anyhow::{Context, bail};
use tarsy_domain::Timestamp;
use tarsy_server::GeneratedToken;
use tarsy_store::{ApiToken, NewApiToken, Store};

use crate::arguments::{CreateTokenArguments, GlobalArguments, TokenCommand};
use crate::database::database_url;
use crate::terminal::eprint_line;

/// Creates, lists or revokes tokens.
pub(crate) fn token(global: &GlobalArguments, command: &TokenCommand) -> anyhow::Result<()> {
    let url = database_url(global)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting the runtime")?;
    runtime.block_on(async {
        let store = Store::open(&url).await?;
        let result = match command {
            TokenCommand::Create(token) => create(&store, token).await,
            TokenCommand::List => list(&store).await,
            TokenCommand::Revoke(token) => revoke(&store, &token.name).await,
        };
        store.close().await;
        result
    })
}

async fn create(store: &Store, arguments: &CreateTokenArguments) -> anyhow::Result<()> {
    let CreateTokenArguments { name, role } = arguments;
    let GeneratedToken { secret, digest } = GeneratedToken::generate().context("generating random bytes")?;
    let token = NewApiToken { name: name.clone(), digest, role: *role };
    if !store.token_insert(token, Timestamp::now()).await? {
        bail!("a token named `{name}` exists already; choose another name or revoke it first");
    }
    writeln!(std::io::stdout(), "{}", secret.expose()).context("writing the token")?;
    eprint_line(&format!("Created the token `{name}` ({role}). It cannot be shown again."))
}

async fn list(store: &Store) -> anyhow::Result<()> {
    let tokens = store.token_list().await?;
    if tokens.is_empty() {
        return eprint_line("There are no tokens. Create one with `tarsy token create NAME --role ROLE`.");
    }
    let widest = tokens.iter().map(|token| token.name.chars().count()).max().unwrap_or_default();
    let lines: String = tokens.iter().map(|token| line(token, widest)).collect();
    write!(std::io::stdout(), "{lines}").context("writing the tokens")
}

async fn revoke(store: &Store, name: &str) -> anyhow::Result<()> {
    if !store.token_revoke(name, Timestamp::now()).await? {
        bail!("there is no active token `{name}`; list tokens with `tarsy token list`");
    }
    eprint_line(&format!("Revoked the token `{name}`."))
}

/// Formats a token as one line.
fn line(token: &ApiToken, widest: usize) -> String {
    let ApiToken { name, role, created_at, last_used_at, revoked_at } = token;
    let used = last_used_at.map_or("never used".to_owned(), |at| format!("last used {}", minute(at)));
    let state = revoked_at.map_or(used, |at| format!("revoked {}", minute(at)));
    format!("{name:widest$}  {role:8}  created {}  {state}\n", minute(*created_at))
}

/// Formats a time in UTC, to the minute.
fn minute(at: Timestamp) -> String {
    let time = jiff::Timestamp::from_microsecond(at.as_micros());
    time.map_or("?".to_owned(), |time| time.strftime("%Y-%m-%d %H:%MZ").to_string())
}

#[cfg(test)]
mod tests {
    use tarsy_domain::AccessRole;

    use super::*;

    #[test]
    fn a_line_shows_the_state_of_a_token() {
        let at = |minutes: i64| Timestamp::from_micros((29_000_000 + minutes) * 60_000_000);
        let token = ApiToken {
            name: "ci".to_owned(),
            role: AccessRole::Viewer,
            created_at: at(0),
            last_used_at: None,
            revoked_at: None,
        };
        assert_eq!(line(&token, 4), "ci    viewer    created 2025-02-19 21:20Z  never used\n");
        let used = ApiToken { last_used_at: Some(at(1)), ..token };
        assert_eq!(line(&used, 2), "ci  viewer    created 2025-02-19 21:20Z  last used 2025-02-19 21:21Z\n");
        let revoked = ApiToken { revoked_at: Some(at(2)), ..used };
        assert_eq!(line(&revoked, 2), "ci  viewer    created 2025-02-19 21:20Z  revoked 2025-02-19 21:22Z\n");
    }
}
