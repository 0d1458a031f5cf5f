//! The live stream over real sockets: what a client has put together is what was recorded.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops at the first surprise, and says with which dice"
)]

mod crowd;
mod desk;
mod investigation;
mod scripts;
mod sockets;
