//! Tests of the agent core through its public API.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test fails by panicking")]

mod react;
mod run;
