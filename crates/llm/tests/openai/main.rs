//! OpenAI's two wire formats, over real HTTP: what is sent, what comes of every kind of answer, and what goes back.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

#[path = "../peer/mod.rs"]
#[allow(dead_code, reason = "each test file uses its own part")]
mod peer;

mod desk;
mod recorded;

mod chat_recorded;
mod chat_replies;
mod chat_requests;
mod chat_turns;
mod failures;
mod responses_recorded;
mod responses_replies;
mod responses_requests;
mod responses_turns;
