//! Replays an exported session without its models and MCP servers.
//!
//! A [`Recording`] is a cassette with its session. A [`ReplayConfig`] is the configuration that replays it: every
//! provider plays the cassette, and every MCP server is a process that returns the recorded results ([`serve_tools`]).
//! [`compare`] lists the differences between two outcomes. Running the session is the job of the engine, which this
//! crate does not depend on.

mod recording;

mod config;

mod results;
mod server;

mod difference;

#[cfg(test)]
mod fixture;

pub use config::{ReplayConfig, ReplayConfigError};
pub use difference::{Difference, DifferenceKind, DifferenceScope, compare};
pub use recording::{Recording, RecordingError};
pub use server::{ReplayToolsError, serve_tools};
