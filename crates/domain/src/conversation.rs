//! The conversation with a model: messages, replies, token usage, and the kinds of recorded calls.

pub(crate) mod interaction;
pub(crate) mod message;
pub(crate) mod reply;
pub(crate) mod usage;
