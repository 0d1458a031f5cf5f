//! The wires: pure conversion between our types and a vendor's JSON.
//!
//! A wire encodes a request and decodes the events of the reply. It performs no I/O and does not retry.

use tarsy_domain::ModelTraits;

use crate::http::{HttpFailure, HttpRequest, SseEvent};
use crate::{Chunk, ModelError, ModelRequest, Settings};

pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod failure;
pub(crate) mod gemini;
pub(crate) mod openai;
pub(crate) mod responses;
mod shape;
pub(crate) mod vertex;

/// The API format of a vendor.
pub(crate) trait Wire: Send + Sync + 'static {
    /// Its name in recorded provider state. Do not change it.
    const NAME: &'static str;

    /// Decodes the reply to one request.
    type Decoder: Decode;

    /// Returns the HTTP request for a model request, and the decoder of its reply.
    fn encode(
        &self,
        settings: &Settings,
        request: &ModelRequest,
    ) -> Result<(HttpRequest, Self::Decoder), ModelError>;

    /// Returns the error for a response with an error status. The settings are for the message, such as the
    /// name of a model that does not exist.
    fn failure(settings: &Settings, response: &HttpFailure) -> ModelError;
}

/// Decodes the events of one reply.
pub(crate) trait Decode: Send + Sync + 'static {
    /// Decodes an event and appends its chunks.
    fn event(&mut self, event: &SseEvent, chunks: &mut Vec<Chunk>) -> Result<StreamProgress, ModelError>;

    /// Handles the end of a stream without [`StreamProgress::Complete`]; an error unless the reply is
    /// complete.
    fn end(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), ModelError>;
}

/// Whether a reply continues after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StreamProgress {
    /// The reply continues.
    More,
    /// The model is generating something that is emitted only when it is complete, such as a tool call.
    Writing,
    /// The reply is complete.
    Complete,
}

/// Returns the stop sequences to send. Those of models that reject them are applied to the reply only, by
/// [`StopSequenceGuard`](crate::StopSequenceGuard).
fn accepted_stop_sequences(traits: &ModelTraits, request: &ModelRequest) -> &'static [&'static str] {
    if traits.stop_sequences == Some(false) { &[] } else { request.stop_sequences }
}
