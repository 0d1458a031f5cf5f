//! An investigation from the queue to its report.
//!
//! [`Engine`] claims sessions and brings each to its end: `investigation` goes through a chain, `stage` runs its agents,
//! `execution` one of them, and `driver` is the short loop around the pure agent core. What to do next is decided in
//! `chain` from what is recorded; writing it down is the `recorder`'s.
//!
//! What they work with is made from a configuration: [`Models`] answers for the providers, [`Servers`] opens the tool
//! box of an execution, [`Maskers`] and a [`SessionMask`] keep secrets from everybody, and a [`Digester`] makes results
//! short enough to think about, and [`Runbooks`] finds what an alert is to be handled by. Nothing here knows HTTP routes, SQL or the command line.

mod engine;

mod chat;
mod investigation;
mod work;

mod execution;

mod recorder;
mod stop;

mod digest;
mod resources;
mod runbook;

mod spans;

pub use digest::read_result::{ReadResult, read_result_definition, unknown_result};
pub use digest::summarize::{Summarizer, Summary};
pub use digest::{Digest, Digester, Shortening, ToolText};
pub use engine::{Engine, EngineWatch, WorkerCounts};
pub use resources::maskers::{Maskers, MaskersError};
pub use resources::models::Models;
pub use resources::provider::{SetupError, Unfit};
pub use resources::servers::{Caller, Servers, UnknownServer};
pub use resources::session_mask::SessionMask;
pub use runbook::{Runbook, Runbooks, RunbooksError};
pub use spans::{CALL_SPANS, WORK_SPANS};
pub use work::Parts;
