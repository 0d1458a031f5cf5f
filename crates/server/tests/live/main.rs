//! The live stream over real sockets: what a client has put together is what was recorded.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod crowd;
mod desk;
mod investigation;
mod scripts;
mod sockets;
