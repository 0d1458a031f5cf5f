//! The models over real connections: one module per wire format, fault or peer.
//!
//! `peer` is an HTTP server that replies with given bytes; `program` runs a program from elsewhere.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod peer;
mod program;

mod anthropic;
mod breaker;
mod cassette;
mod emulator;
mod faults;
mod foreign;
mod gemini;
mod grpc;
mod openai;
mod referee;
mod time_limit;
mod wires;
