//! Crash tests: `kill -9`, a pause longer than the lease, and restarts of the database, under load.
//!
//! Sessions run against a scripted model and a counting tool server. Both are in the test process, so that they survive
//! every kill. At the end each session is compared with an undisturbed one of the same chain, and the requests to the model
//! are checked against the record.
//!
//! `TARSY_CRASH_KILLS` sets the number of kills. `TARSY_CRASH_SEED` repeats the random choices of a run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed assumption fails the test, and a test prints its statistics"
)]

mod cluster;
mod environment;
mod position;
mod random;
mod replica;
mod script;
mod sessions;

mod audit;
mod baseline;
mod normalized;

mod database_restart;
mod fencing;
mod graceful_stop;
mod kills;
mod moments;
