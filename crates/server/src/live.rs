//! The live stream: stored events with their ids, and texts while they are being written, to sockets and scripts.
//!
//! A feed follows one channel for one client at the client's own speed. What was stored is read from the record, so
//! that nothing is lost, repeated or out of order, whatever happens to the connection; what is being written is taken
//! from the store's rooms. A client that is slow gets more at once, later; nobody waits for it.

mod batch;
mod feed;
mod message;
pub(crate) mod socket;
pub(crate) mod sse;

pub(crate) use batch::Batches;
pub(crate) use feed::Feed;
pub(crate) use message::Message;
