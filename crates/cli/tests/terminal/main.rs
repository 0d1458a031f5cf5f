//! The command line as people and scripts use it: `tarsy investigate` and `tarsy sessions`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

#[path = "../tarsy/mod.rs"]
mod tarsy;

mod alerts;
mod incidents;
mod manual;
mod running;
mod sessions;
mod terminal;
