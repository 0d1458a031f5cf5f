//! Servers that are programs, spoken to over their standard input and output.
//!
//! A program does not run under us but under a guard: a process of its own that ends the program, and everything
//! the program started, when our end of a pipe closes. So nothing is left behind even if we are killed.

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
