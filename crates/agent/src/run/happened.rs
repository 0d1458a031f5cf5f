//! What happened to a run: the entries of its journal.
//!
//! A run is a fold over these. They hold all that a later decision may depend on, and nothing of how it came
//! about: no times, no addresses, no attempts.

use serde::{Deserialize, Serialize};
use tarsy_domain::{ModelFailure, ModelReply, ToolResult};
use thiserror::Error;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happened {
    /// The model replied.
    Replied(ModelReply),
    /// The model call failed.
    ModelFailed(ModelFailure),
    /// A tool call came to its end.
    ToolReturned(ToolResult),
}

/// Something happened that the run did not ask for: the journal is not this run's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{came} came while the run waited for {awaited}")]
pub struct Unexpected {
    /// What came.
    pub came: String,
    /// What it waited for.
    pub awaited: String,
}

impl Happened {
    /// What it is, in a few words for people.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Replied(_) => "a model's reply".to_owned(),
            Self::ModelFailed(_) => "a model's failure".to_owned(),
            Self::ToolReturned(result) => format!("the result of tool call `{}`", result.call_id),
        }
    }
}
