//! The real binary under `kill -9`, under a pause past its lease, and under a database that goes away.
//!
//! Sessions run against a scripted model and a counting tool server, both in the test's own process, so they outlive
//! every process that is killed. At the end each session is compared with an undisturbed one of the same chain, and
//! what the model was asked is checked against what is recorded.
//!
//! `TARSY_CRASH_KILLS` makes the runs longer, `TARSY_CRASH_SEED` repeats one as far as chance is ours.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test stops at the first surprise and says how far it came"
)]

mod account;
mod audit;
mod chance;
mod cluster;
mod database_restart;
mod docket;
mod fencing;
mod graceful_stop;
mod kills;
mod moments;
mod place;
mod replica;
mod script;
mod undisturbed;
mod world;
