//! Tests of the store through its public API. With `both_engines!` a test runs on SQLite and on PostgreSQL.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod schema;

mod sessions;

mod queue;

mod corruption;
mod journal;
mod steps;

mod firings;
mod lists;
mod numbered_pages;
mod reading;

mod chat;
mod tokens;

mod live;
mod load;

mod housekeeping;
mod random_operations;
