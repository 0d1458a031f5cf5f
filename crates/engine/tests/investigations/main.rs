//! Whole investigations, on both databases.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod chains;
mod chat;
mod lab;
mod limits;
mod masking;
mod results;
mod resume;
mod stops;
