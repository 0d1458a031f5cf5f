//! `llm.v1` with peers in Python, generated from the contract without our own additions to it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

#[path = "../peer/mod.rs"]
#[allow(dead_code, reason = "each test file uses its own part")]
mod peer;
#[path = "../program/mod.rs"]
#[allow(dead_code, reason = "each test file uses its own part")]
mod program;

mod client;
mod python;
mod service;
