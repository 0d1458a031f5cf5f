//! Why a worker stops working on a session before its end.

use tarsy_store::StoreError;
use thiserror::Error;

use crate::stop::StopCause;

/// Why work stopped early.
#[derive(Debug, Error)]
pub(crate) enum Halt {
    /// A request to stop arrived.
    #[error("{}", .0.message())]
    Stopped(StopCause),
    /// The database cannot be read or written now. The recorded state is intact, and the session is resumed
    /// later.
    #[error(transparent)]
    Store(StoreError),
    /// The session cannot be resumed, now or later: its record is corrupt or rejects writes, or it has no
    /// usable model.
    #[error("the session cannot be resumed: {0}")]
    Broken(String),
}

impl From<StopCause> for Halt {
    fn from(cause: StopCause) -> Self {
        Self::Stopped(cause)
    }
}

impl From<StoreError> for Halt {
    #[allow(clippy::wildcard_enum_match_arm, reason = "all others are failures of the database")]
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::LeaseLost { .. } => Self::Stopped(StopCause::LeaseLost),
            StoreError::Corrupt { .. }
            | StoreError::NotFound { .. }
            | StoreError::IllegalTransition { .. }
            | StoreError::Rejected(_)
            | StoreError::Panicked
            | StoreError::Suspended { .. } => Self::Broken(error.to_string()),
            other => Self::Store(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_of_the_database_are_retried() {
        let rejected = || "duplicate key".into();
        assert!(matches!(StoreError::Rejected(rejected()).into(), Halt::Broken(_)));
        assert!(matches!(StoreError::Panicked.into(), Halt::Broken(_)));
        assert!(matches!(StoreError::Database(rejected()).into(), Halt::Store(_)));
    }
}
