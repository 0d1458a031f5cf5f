//! The `database` section of `system`: how this process uses its database.
//!
//! The URL of the database is a command-line option, because commands that load no configuration need it too.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How this process uses the database. The URL is set with `--database-url`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DatabaseConfig {
    /// PostgreSQL: maximum number of connections in the pool of this process. Multiply by the number of processes and stay
    /// below `max_connections` of the database server. SQLite ignores it.
    #[schemars(range(min = 2, max = 1000))]
    pub max_connections: u32,
}

impl Default for DatabaseConfig {
    fn default() -> Self {
        Self { max_connections: 32 }
    }
}
