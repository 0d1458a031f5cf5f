//! The values that a list of sessions can be filtered by.

use crate::db::connection::DbConnection;
use crate::db::sql::sql;
use crate::{Store, StoreError};

/// Maximum number of values per filter; longer lists are of no use in a menu.
const MAX_VALUES: u32 = 500;

/// The distinct values that occur in sessions, sorted, at most 500 of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilterOptions {
    /// Alert types.
    pub alert_types: Vec<String>,
    /// Chains.
    pub chain_ids: Vec<String>,
    /// Senders.
    pub authors: Vec<String>,
}

impl Store {
    /// Returns the values that occur in sessions.
    pub async fn session_filter_options(&self) -> Result<FilterOptions, StoreError> {
        let mut connection = self.read().await?;
        Ok(FilterOptions {
            alert_types: distinct(&mut connection, "alert_type").await?,
            chain_ids: distinct(&mut connection, "chain_id").await?,
            authors: distinct(&mut connection, "author").await?,
        })
    }
}

/// Returns the distinct values of an indexed column. It jumps from one value to the next in the index, so
/// that a hundred thousand sessions of three types cost three lookups.
async fn distinct(connection: &mut DbConnection, column: &'static str) -> Result<Vec<String>, StoreError> {
    let statement = sql(format!(
        "with recursive found (value) as (
          select min({column})
          from sessions
          union all
          select (
            select min({column})
            from sessions
            where {column} > found.value)
          from found
          where found.value is not null)
        select value
        from found
        where value is not null
        limit $1"
    ));
    let rows = statement.bind(MAX_VALUES).fetch_all(connection).await?;
    let mut values = rows.iter().map(|row| row.get("value")).collect::<Result<Vec<String>, StoreError>>()?;
    // The engines sort differently.
    values.sort();
    Ok(values)
}
