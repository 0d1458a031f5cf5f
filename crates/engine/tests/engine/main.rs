//! Tests of the engine through its public API.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod digest;
mod investigations;
mod masking;
mod models;
mod runbook;
mod servers;
