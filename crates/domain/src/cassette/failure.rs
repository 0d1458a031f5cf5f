//! A recorded failure of a model call.

use serde::{Deserialize, Serialize};

use super::is_zero;
use crate::conversation::reply::ModelFailureKind;

/// The failure of a model call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CassetteFailure {
    /// The kind of failure.
    pub kind: ModelFailureKind,
    /// The error message.
    pub message: String,
    /// The delay in milliseconds that the provider requested before the next call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The delay before the failure, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub after_ms: u64,
}

impl CassetteFailure {
    /// Creates the placeholder for a call whose reply was not recorded, so that later turns keep their numbers.
    pub fn placeholder(message: &str) -> Self {
        Self {
            kind: ModelFailureKind::Network,
            message: message.to_owned(),
            retry_after_ms: None,
            after_ms: 0,
        }
    }
}
