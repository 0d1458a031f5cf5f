//! `tarsy investigate` and `tarsy sessions`, for people and for scripts.

mod pty;
mod running;

mod alerts;
mod incidents;
mod manual;
mod sessions;
