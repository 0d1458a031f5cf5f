//! A reply in the vendor's own words, kept so that the next turn can send it back unchanged.
//!
//! Signatures, encrypted reasoning and the order of blocks are checked by the vendors. So the native form is kept
//! as raw JSON, together with who said it, and is only ever given to the same wire, provider and model.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tarsy_domain::Message;

use crate::Origin;

/// The native form of a reply.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct State {
    /// The wire format it is written in.
    pub(crate) wire: String,
    /// Who said it.
    #[serde(flatten)]
    pub(crate) origin: Origin,
    /// The reply, exactly as it goes back.
    pub(crate) native: Box<RawValue>,
}

impl State {
    /// The text to be stored with the message.
    pub(crate) fn pack(wire: &str, origin: &Origin, native: Box<RawValue>) -> Option<String> {
        let state = Self { wire: wire.to_owned(), origin: origin.clone(), native };
        serde_json::to_string(&state).ok()
    }

    /// The native form of a message, if it was said on this wire by this model of this provider.
    pub(crate) fn unpack(message: &Message, wire: &str, origin: &Origin) -> Option<Box<RawValue>> {
        let state: Self = serde_json::from_str(message.provider_state.as_deref()?).ok()?;
        (state.wire == wire && state.origin == *origin).then_some(state.native)
    }
}
