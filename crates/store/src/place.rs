//! Where the rows of a step belong.

use tarsy_domain::{ExecutionId, SessionId, Timestamp};

/// Whose rows are being written, and when.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) session_id: SessionId,
    pub(crate) execution_id: ExecutionId,
    pub(crate) at: Timestamp,
}
