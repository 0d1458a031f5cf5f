//! Runs as data: a setup and a script go in, the full conversation and timeline come out.
//!
//! Every transcript also builds the run again after each happening and wants the same run.

mod script;
mod transcript;

mod endings;
mod function_calling;
mod journal;
mod react;
mod single_shot;
mod strategies;
mod window;
