//! Why a worker lets go of a session before it has brought it to its end.

use tarsy_store::StoreError;
use thiserror::Error;

use crate::stop::StopCause;

/// Why work ended early.
#[derive(Debug, Error)]
pub(crate) enum Halt {
    /// It was stopped.
    #[error("{}", .0.message())]
    Stopped(StopCause),
    /// The record cannot be read or written for the time being. What is recorded stays; somebody goes on later.
    #[error(transparent)]
    Store(StoreError),
    /// It cannot be gone on with, now or later: the record makes no sense or takes no more, or no model can be had.
    #[error("it cannot be gone on with: {0}")]
    Broken(String),
}

impl From<StopCause> for Halt {
    fn from(cause: StopCause) -> Self {
        Self::Stopped(cause)
    }
}

impl From<StoreError> for Halt {
    #[allow(clippy::wildcard_enum_match_arm, reason = "all others say that the database failed")]
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::LeaseLost { .. } => Self::Stopped(StopCause::LeaseLost),
            StoreError::Corrupt { .. }
            | StoreError::NotFound { .. }
            | StoreError::IllegalMove { .. }
            | StoreError::Rejected(_)
            | StoreError::Panicked => Self::Broken(error.to_string()),
            other => Self::Store(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_pass_is_tried_again() {
        let refused = || "duplicate key".into();
        assert!(matches!(StoreError::Rejected(refused()).into(), Halt::Broken(_)));
        assert!(matches!(StoreError::Panicked.into(), Halt::Broken(_)));
        assert!(matches!(StoreError::Database(refused()).into(), Halt::Store(_)));
    }
}
