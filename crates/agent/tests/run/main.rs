//! Runs as data: a setup and a script go in, the full conversation and timeline come out.
//!
//! Every transcript also builds the run again after each happening and wants the same run.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod script;
mod transcript;

mod endings;
mod function_calling;
mod journal;
mod react;
mod single_shot;
mod strategies;
mod window;
