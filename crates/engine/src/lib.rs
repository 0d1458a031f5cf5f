//! Runs investigations, from the queue to the report.
//!
//! [`Engine`] claims sessions and runs each to its end: `investigation` runs the stages of a chain, `stage`
//! the agents of a stage, `execution` one agent, and `execution::driver` is the loop around the pure agent
//! core. `investigation::chain` decides the next stage from the record; `recorder` writes the record.
//!
//! [`EngineResources`] are built from a configuration: [`Models`] builds the models of providers, [`Servers`]
//! opens the toolbox of an execution, [`Maskers`] and [`SessionMask`] mask secrets, [`Digester`] shortens
//! tool results, and [`Runbooks`] fetches runbooks. This crate contains no HTTP routes, no SQL and no command
//! line.

mod engine;

mod chat;
mod investigation;
mod session_work;

mod execution;
mod handover;

mod recorder;
mod stop;

mod digest;
mod resources;
mod runbook;

mod spans;

pub use digest::summarize::ToolSummary;
pub use digest::{Digest, Digester, Shortening, ToolText};
pub use engine::{Engine, EngineWatch, WorkerCounts};
pub use resources::EngineResources;
pub use resources::maskers::{Maskers, MaskersError};
pub use resources::models::Models;
pub use resources::provider::{InvalidProvider, SetupError};
pub use resources::servers::{Caller, Servers, UnknownServer};
pub use resources::session_mask::SessionMask;
pub use runbook::{Runbook, RunbookCatalog, RunbookFile, Runbooks, RunbooksError};
pub use spans::{CALL_SPANS, WORK_SPANS};
