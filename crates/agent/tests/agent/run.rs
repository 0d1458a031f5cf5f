//! Runs as data: a setup and a script result in a transcript of the conversation and the timeline.
//!
//! Every transcript also rebuilds the run after each step and compares it with the original.

mod script;
mod transcript;

mod cut_off;
mod endings;
mod failures;
mod function_calling;
mod journal;
mod react;
mod resume;
mod single_shot;
mod strategies;
mod tool_offer;
mod vendor_tools;
mod window;
