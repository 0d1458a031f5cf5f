//! Alerts come in over HTTP, into a real store.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod app;

mod alertmanager;
mod alerts;
