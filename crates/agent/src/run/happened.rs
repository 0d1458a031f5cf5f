//! The entries of the journal of a run.
//!
//! A run is a fold over these. They contain everything that a later decision can depend on, and nothing else:
//! no times, endpoints or attempts.

use serde::{Deserialize, Serialize};
use tarsy_domain::{ModelFailure, ModelReply, ToolResult};
use thiserror::Error;

/// One entry of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happened {
    /// The model replied.
    Replied(ModelReply),
    /// The model call failed.
    ModelFailed(ModelFailure),
    /// A tool call ended.
    ToolReturned(ToolResult),
}

/// The error for an entry that the run does not wait for: the journal belongs to another run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{came} came while the run waited for {awaited}")]
pub struct Unexpected {
    /// What was applied.
    pub came: String,
    /// What the run waited for.
    pub awaited: String,
}

impl Happened {
    /// Returns a short description for error messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Replied(_) => "a model's reply".to_owned(),
            Self::ModelFailed(_) => "a model's failure".to_owned(),
            Self::ToolReturned(result) => format!("the result of tool call `{}`", result.call_id),
        }
    }
}
