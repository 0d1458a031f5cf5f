//! API tokens: their names and roles. Only digests are stored.
//!
//! A revoked token stays in the list, so that its name can be looked up; a new token may replace it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tarsy_domain::{AccessRole, Timestamp};

use crate::db::connection::DbConnection;
use crate::db::row::DbRow;
use crate::db::sql::sql;
use crate::{Store, StoreError};

/// Minimum time between two writes of `last_used_at`: a token in constant use is written once a minute.
const USE_INTERVAL: Duration = Duration::from_secs(60);

/// A token to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewApiToken {
    /// Its name, usually the name of its user.
    pub name: String,
    /// SHA-256 of the token, in hexadecimal digits.
    pub digest: String,
    /// Its role.
    pub role: AccessRole,
}

/// A stored token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiToken {
    /// Its name, usually the name of its user.
    pub name: String,
    /// Its role.
    pub role: AccessRole,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last used, to about a minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

impl Store {
    /// Stores a token unless its name is in use. The name of a revoked token is free. Returns whether it was
    /// stored.
    pub async fn token_insert(&self, token: NewApiToken, at: Timestamp) -> Result<bool, StoreError> {
        let token = Arc::new(token);
        self.write(move |connection| insert(connection, Arc::clone(&token), at).boxed()).await
    }

    /// Returns the token with this digest, unless it was revoked.
    pub async fn token_find_by_digest(&self, digest: &str) -> Result<Option<ApiToken>, StoreError> {
        let found = sql("
            select name, role, created_at_us, last_used_at_us, revoked_at_us
            from api_tokens
            where digest = $1
              and revoked_at_us is null")
        .bind(digest)
        .fetch_optional(&mut self.read().await?)
        .await?;
        found.as_ref().map(decode).transpose()
    }

    /// Records the use of a token, unless one was recorded within the last minute.
    pub async fn token_note_use(&self, token: &ApiToken, at: Timestamp) -> Result<(), StoreError> {
        let recent = at.before(USE_INTERVAL);
        if token.last_used_at.is_some_and(|last_used_at| last_used_at > recent) {
            return Ok(());
        }
        let name: Arc<str> = token.name.as_str().into();
        self.write(move |connection| note_use(connection, Arc::clone(&name), at).boxed()).await
    }

    /// Returns all tokens by name, including revoked ones.
    pub async fn token_list(&self) -> Result<Vec<ApiToken>, StoreError> {
        let rows = sql("
            select name, role, created_at_us, last_used_at_us, revoked_at_us
            from api_tokens
            order by name")
        .fetch_all(&mut self.read().await?)
        .await?;
        let mut tokens: Vec<ApiToken> = rows.iter().map(decode).collect::<Result<_, _>>()?;
        // PostgreSQL sorts by its collation, SQLite by bytes.
        tokens.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(tokens)
    }

    /// Revokes a token. Returns whether there was an active token with this name.
    pub async fn token_revoke(&self, name: &str, at: Timestamp) -> Result<bool, StoreError> {
        let name: Arc<str> = name.into();
        self.write(move |connection| revoke(connection, Arc::clone(&name), at).boxed()).await
    }
}

async fn insert(
    connection: &mut DbConnection,
    token: Arc<NewApiToken>,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let inserted = sql("
        insert into api_tokens (name, digest, role, created_at_us)
        values ($1, $2, $3, $4)
        on conflict (name) do update
        set digest = excluded.digest,
            role = excluded.role,
            created_at_us = excluded.created_at_us,
            last_used_at_us = null,
            revoked_at_us = null
        where api_tokens.revoked_at_us is not null
        returning name")
    .bind(&token.name)
    .bind(&token.digest)
    .bind(token.role.as_str())
    .bind(at)
    .fetch_optional(connection)
    .await?;
    Ok(inserted.is_some())
}

async fn note_use(connection: &mut DbConnection, name: Arc<str>, at: Timestamp) -> Result<(), StoreError> {
    sql("
        update api_tokens
        set last_used_at_us = $2
        where name = $1
          and (last_used_at_us is null or last_used_at_us < $2)")
    .bind(&*name)
    .bind(at)
    .execute(connection)
    .await
}

async fn revoke(connection: &mut DbConnection, name: Arc<str>, at: Timestamp) -> Result<bool, StoreError> {
    let revoked = sql("
        update api_tokens
        set revoked_at_us = $2
        where name = $1
          and revoked_at_us is null
        returning name")
    .bind(&*name)
    .bind(at)
    .fetch_optional(connection)
    .await?;
    Ok(revoked.is_some())
}

fn decode(row: &DbRow) -> Result<ApiToken, StoreError> {
    Ok(ApiToken {
        name: row.get("name")?,
        role: row.parsed("role")?,
        created_at: row.time("created_at_us")?,
        last_used_at: row.optional_time("last_used_at_us")?,
        revoked_at: row.optional_time("revoked_at_us")?,
    })
}
