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

mod chain;
mod facts;
mod results;
mod stage;

mod agent_tools;
mod driver;
mod execution;
mod live_reply;
mod server_selection;
mod setup;
mod started_calls;

mod closing;
mod halt;
mod persistence;
mod recorder;
mod stop;

mod janitor;
mod runbook;
mod spans;

mod models;
mod provider;

mod maskers;
mod session_mask;

mod servers;

mod digest;
mod read_result;
mod summarize;

pub use digest::{Digest, Digester, Shortening, ToolText};
pub use engine::{Engine, EngineWatch, WorkerCounts};
pub use maskers::{Maskers, MaskersError};
pub use models::Models;
pub use provider::{SetupError, Unfit};
pub use read_result::{READ_RESULT, ReadResult, read_result_definition, unknown_result};
pub use runbook::{Runbook, Runbooks, RunbooksError};
pub use servers::{Caller, Servers, UnknownServer};
pub use session_mask::SessionMask;
pub use spans::{CALL_SPANS, WORK_SPANS};
pub use summarize::{Summarizer, Summary};
pub use work::Parts;
