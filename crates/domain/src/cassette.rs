//! The cassette format: recorded model replies, and optionally the session that they were recorded from.
//!
//! The types are the format: the server serializes a session into them, the replay provider and
//! `tarsy replay` deserialize them. A cassette is JSON or YAML on disk; reading and writing files is the job
//! of the callers. The format is documented in docs/cassettes.md. Files of earlier versions must stay
//! readable.

mod chunk;
mod failure;
mod file;
mod outcome;
mod question;
mod session;
mod tools;
mod turn;

pub use chunk::{CassetteChunk, CassetteToolCall, CassetteUsage};
pub use failure::CassetteFailure;
pub use file::Cassette;
pub use outcome::{MessageDigest, RecordedExecution, RecordedOutcome};
pub use question::CassetteQuestion;
pub use session::{RecordedProvider, RecordedSession};
pub use tools::{RecordedServer, RecordedSummarization, RecordedTool, RecordedToolCall};
pub use turn::CassetteTurn;

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
