//! Tests of the server through its HTTP interface, on a real store.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking and prints the seed of its random choices"
)]

mod access;
mod api;
mod http;
mod intake;
mod live;
