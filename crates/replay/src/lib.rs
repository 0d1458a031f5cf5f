//! An exported session, to be run again without a model, a key or an MCP server of its own.
//!
//! A [`Recording`] is a cassette with its session. A [`Setting`] is the configuration that runs it: every provider plays the
//! cassette, and every MCP server is a program that answers as the recorded one did ([`serve_tools`]). [`compare`] says
//! in what two outcomes differ. Running it is the engine's affair, which is not known here.

mod outcome;
mod recording;

mod setting;

mod answers;
mod server;

mod difference;

#[cfg(test)]
mod fixture;

pub use difference::{Difference, Place, Weight, compare};
pub use outcome::{ExecutionOutcome, MessageMark, Outcome};
pub use recording::{
    RecordedCall, RecordedProvider, RecordedServer, RecordedSession, RecordedSummarization, RecordedTool,
    Recording, RecordingError,
};
pub use server::{ServeError, serve_tools};
pub use setting::{Setting, SettingError};
