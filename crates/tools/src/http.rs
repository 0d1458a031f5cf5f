//! HTTP transports: streamable HTTP, and its predecessor with server-sent events.

mod error;
mod events;
mod legacy;
mod requests;
mod streamable;

pub(crate) use error::{HttpError, TransportError};
pub(crate) use legacy::SseTransport;
pub(crate) use requests::Requests;
pub(crate) use streamable::streamable_transport;
