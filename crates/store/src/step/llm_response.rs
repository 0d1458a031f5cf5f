//! The outcome of a model call, as it is recorded in the column `response`.
//!
//! Both variants are stored as plain JSON; `error_kind` in the same row distinguishes them.

use tarsy_domain::{LlmErrorKind, ModelFailure, ModelReply};

use crate::StoreError;
use crate::db::row::DbRow;
use crate::json::encode_json;

/// The outcome of a model call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LlmResponse {
    /// A reply; an incomplete one if the call was stopped.
    Reply(ModelReply),
    /// A failure.
    Failure(ModelFailure),
}

impl LlmResponse {
    /// Returns the text for the column.
    pub(crate) fn encode(&self) -> Result<String, StoreError> {
        match self {
            Self::Reply(reply) => encode_json("response", reply),
            Self::Failure(failure) => encode_json("response", failure),
        }
    }

    /// Reads the columns `response` and `error_kind`.
    pub(crate) fn decode(row: &DbRow) -> Result<Option<Self>, StoreError> {
        match row.optional_parsed("error_kind")? {
            None | Some(LlmErrorKind::Stopped) => Ok(row.optional_json("response")?.map(Self::Reply)),
            Some(_) => Ok(row.optional_json("response")?.map(Self::Failure)),
        }
    }
}
