//! Where the rows of a step belong.

use tarsy_domain::{ExecutionId, SessionId, Timestamp};

/// Whose rows are being written, and when.
#[derive(Clone, Copy)]
pub(crate) struct WriteContext {
    pub(crate) session_id: SessionId,
    /// None for what belongs to the session itself.
    pub(crate) execution_id: Option<ExecutionId>,
    pub(crate) at: Timestamp,
}
