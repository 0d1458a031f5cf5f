//! The command line as people and scripts use it: `tarsy investigate` and `tarsy sessions`.

mod alerts;
mod incidents;
mod manual;
mod pty;
mod running;
mod sessions;
