//! The native form of a reply, recorded so that later requests can send it back unchanged.
//!
//! Vendors verify signatures, encrypted reasoning and the order of blocks. So the native form is recorded as
//! raw JSON, together with its origin, and is only sent back to the same wire, provider and model.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tarsy_domain::Message;

use crate::Origin;

/// The native form of a reply.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ProviderState {
    /// The wire that produced it.
    pub(crate) wire: String,
    /// The provider and model that produced it.
    #[serde(flatten)]
    pub(crate) origin: Origin,
    /// The reply, exactly as it is sent back.
    pub(crate) native: Box<RawValue>,
}

impl ProviderState {
    /// Returns the text that is recorded with the message.
    pub(crate) fn pack(wire: &str, origin: &Origin, native: Box<RawValue>) -> Option<String> {
        let state = Self { wire: wire.to_owned(), origin: origin.clone(), native };
        serde_json::to_string(&state).ok()
    }

    /// Returns the native form of a message, if it is from this wire, provider and model.
    pub(crate) fn unpack(message: &Message, wire: &str, origin: &Origin) -> Option<Box<RawValue>> {
        let state: Self = serde_json::from_str(message.provider_state.as_deref()?).ok()?;
        (state.wire == wire && state.origin == *origin).then_some(state.native)
    }
}
