//! Whole investigations, on both databases.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod chains;
mod chat;
mod lab;
mod limits;
mod live;
mod masking;
#[path = "../runbook/peer.rs"]
#[allow(dead_code, reason = "shared with the tests of runbooks alone, which want more of it")]
mod peer;
mod results;
mod resume;
mod runbooks;
mod stops;
