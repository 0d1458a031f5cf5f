//! Exit statuses other than 0 and 1.

use tarsy_domain::SessionStatus;

/// Invalid arguments.
pub(crate) const USAGE_ERROR: u8 = 2;
/// The session completed with errors.
const WITH_ERRORS: u8 = 3;
/// Ctrl-C ended the command: 128 + SIGINT, as in shells.
pub(crate) const INTERRUPTED: u8 = 130;

/// Returns the exit status for a session.
pub(crate) fn exit_status_of(status: SessionStatus) -> u8 {
    match status {
        SessionStatus::Completed => 0,
        SessionStatus::CompletedWithErrors => WITH_ERRORS,
        SessionStatus::Cancelled => INTERRUPTED,
        SessionStatus::Failed
        | SessionStatus::TimedOut
        // The session has not ended, so there is no result.
        | SessionStatus::Pending
        | SessionStatus::InProgress
        | SessionStatus::Cancelling => 1,
    }
}
