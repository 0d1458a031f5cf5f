//! Tests of the `tarsy` binary: each runs the real program in a separate process.
//!
//! The crash tests are another binary (`tests/crash`): they kill and restart the program and its database under load for
//! minutes, `make test-crash` runs them alone, and as a second binary they run in parallel with these.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed assumption fails the test")]

mod server;
mod tarsy;

#[path = "../../../llm/tests/llm/program.rs"]
#[allow(dead_code, reason = "the tests of the llm crate use the rest")]
mod program;
#[path = "../crash/replica.rs"]
#[allow(dead_code, reason = "the crash tests use the rest")]
mod replica;

mod commands;
mod demo;
mod docs;
mod intake;
mod investigations;
mod llm;
mod packaging;
mod previous;
mod replay;
mod terminal;
mod tokens;
mod tools;
mod version;
