//! The lease of a session.

use tarsy_domain::SessionId;

use crate::StoreError;

/// The exclusive right to write to a session until it expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The session.
    pub session_id: SessionId,
    /// The fencing token, which grows with every claim of the session.
    pub fence: i64,
}

impl Lease {
    /// Returns the error for a write with an outdated fence.
    pub(crate) fn lost(self) -> StoreError {
        StoreError::LeaseLost { session_id: self.session_id, fence: self.fence }
    }
}
