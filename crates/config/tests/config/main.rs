//! Tests of the configuration through its public API.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod example;
mod existing;
mod garbage;
mod providers;
mod resolution;
mod right;
mod templates;
mod wrong;
