//! The stdio transport: servers that are child processes.
//!
//! A program runs under a guard: a separate process that ends the program and all its descendants when our
//! end of a pipe closes. So no process is left behind, even if this one is killed.

mod diagnosis;
mod guard;
pub(crate) mod lines;
mod program;
mod stderr;
mod transport;

pub(crate) use diagnosis::Diagnosis;
pub use guard::{Guard, run_guard};
pub(crate) use program::ProgramError;
pub(crate) use transport::StdioTransport;
