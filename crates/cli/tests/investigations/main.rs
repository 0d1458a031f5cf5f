//! `tarsy serve` works on whole sessions: the real binary, real MCP servers, and nothing that gets out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod collector;
mod desk;
#[allow(dead_code, reason = "others kill it")]
#[path = "../crash/replica.rs"]
mod replica;

mod exported;
mod recorded;
mod secrets;
mod watched;
