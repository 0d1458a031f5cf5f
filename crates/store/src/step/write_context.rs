//! The context of a write: the owner of the rows, and the time.

use tarsy_domain::{ExecutionId, SessionId, Timestamp};

/// The owner of the rows that are written, and the time of the write.
#[derive(Clone, Copy)]
pub(crate) struct WriteContext {
    pub(crate) session_id: SessionId,
    /// `None` for rows of the session itself.
    pub(crate) execution_id: Option<ExecutionId>,
    pub(crate) at: Timestamp,
}
