//! What a command's exit status says beside "well" and "not well".

use tarsy_domain::SessionStatus;

/// The command was called wrongly.
pub(crate) const MISUSED: u8 = 2;
/// There is a result, and something failed on the way to it.
const WITH_ERRORS: u8 = 3;
/// Ctrl-C ended it, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

/// The exit status of a command that saw a session to its end.
pub(crate) fn exit_status_of(status: SessionStatus) -> u8 {
    match status {
        SessionStatus::Completed => 0,
        SessionStatus::CompletedWithErrors => WITH_ERRORS,
        SessionStatus::Cancelled => INTERRUPTED,
        SessionStatus::Failed
        | SessionStatus::TimedOut
        // It has not ended, so there is no result.
        | SessionStatus::Pending
        | SessionStatus::InProgress
        | SessionStatus::Cancelling => 1,
    }
}
