//! The live stream over real sockets: what a client has put together is what was recorded.

mod crowd;
mod desk;
mod investigation;
mod scripts;
mod sockets;
