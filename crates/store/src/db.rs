//! The two database engines behind one interface: connections, statements, rows.
//!
//! A [`sql::Sql`] is a statement with its arguments, a [`connection::DbConnection`] leads to either engine,
//! and a [`row::DbRow`] is a result row of either. `fetch` runs statements on connections. SQL that differs
//! between the engines is in `dialect`.

pub(crate) mod connection;
pub(crate) mod dialect;
pub(crate) mod fetch;
pub(crate) mod load;
pub(crate) mod placeholder;
pub(crate) mod postgres;
pub(crate) mod row;
pub(crate) mod sql;
pub(crate) mod sqlite;
