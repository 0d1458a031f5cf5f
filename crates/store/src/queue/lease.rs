//! The right to work on a session, and what is said when it is gone.

use tarsy_domain::SessionId;

use crate::StoreError;

/// The right to work on a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The session.
    pub session_id: SessionId,
    /// Grows with every claim of the session.
    pub fence: i64,
}

impl Lease {
    pub(crate) fn lost(self) -> StoreError {
        StoreError::LeaseLost { session_id: self.session_id, fence: self.fence }
    }
}
