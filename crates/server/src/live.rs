//! The live stream: stored events, and texts while they are being streamed, over WebSockets and server-sent
//! events.
//!
//! A [`Feed`] reads one channel for one client at that client's speed. Stored events are read from the
//! database, so none is lost, repeated or reordered when a connection breaks; streamed texts come from the
//! store's live buffers. A slow client receives larger chunks later and delays no other client. The messages
//! are defined in `tarsy_domain`.

mod batch;
mod details;
mod feed;
mod message;
pub(crate) mod socket;
pub(crate) mod sse;

pub(crate) use batch::Batches;
pub(crate) use feed::Feed;
pub(crate) use message::EncodedMessage;
