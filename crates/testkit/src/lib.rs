//! Development only: real databases and ready-made records for tests and benchmarks.
//!
//! Nothing here stands in for a type of the project: the databases are real, the records go through the store's
//! public doors.

mod database;
mod record;

pub use database::TestDatabase;
pub use record::{answer, execution, new_session, opening, tool_run};
