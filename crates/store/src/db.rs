//! The two database engines behind one interface: connections, statements, rows.
//!
//! A [`sql::Sql`] is a statement with its arguments, a [`connection::DbConnection`] belongs to either engine and a [`row::DbRow`]
//! is a result of either; `fetch` runs the one on the other. What the engines' SQL must say differently is in `dialect`.

pub(crate) mod connection;
pub(crate) mod dialect;
pub(crate) mod fetch;
pub(crate) mod load;
pub(crate) mod placeholder;
pub(crate) mod postgres;
pub(crate) mod row;
pub(crate) mod sql;
pub(crate) mod sqlite;
