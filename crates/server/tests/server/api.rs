//! The routes over sessions, on a real store, asked as a client would ask them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod app;
mod record;

mod acting;
mod conformance;
mod document;
mod lists;
mod reading;
mod requests;
mod system;
