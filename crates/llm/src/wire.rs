//! The wire formats: pure translation between our words and a vendor's JSON.
//!
//! A wire says what to send and what the events of the answer mean. It never waits, retries or opens a connection.

use crate::http::{Event, HttpFailure, HttpRequest};
use crate::{Chunk, ModelError, ModelRequest, Settings};

pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod failure;
pub(crate) mod gemini;
pub(crate) mod openai;
pub(crate) mod responses;
pub(crate) mod vertex;

/// One wire format.
pub(crate) trait Wire: Send + Sync + 'static {
    /// What it is called in stored state.
    const NAME: &'static str;

    /// Reads the answer to one request.
    type Decoder: Decode;

    /// The request to send, and the reader of its answer.
    fn encode(
        &self,
        settings: &Settings,
        request: &ModelRequest,
    ) -> Result<(HttpRequest, Self::Decoder), ModelError>;

    /// What an answer means that is not a stream. The settings help to say what is wrong, such as a model that does
    /// not exist.
    fn refusal(settings: &Settings, failure: &HttpFailure) -> ModelError;
}

/// Reads the events of one answer.
pub(crate) trait Decode: Send + Sync + 'static {
    /// Takes in an event; chunks that it completes are added in order.
    fn event(&mut self, event: &Event, chunks: &mut Vec<Chunk>) -> Result<Progress, ModelError>;

    /// The stream has ended without [`Progress::Complete`]: fine if the format allows it and the reply is whole.
    fn end(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), ModelError>;
}

/// Whether an answer goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Progress {
    /// There is more to come.
    More,
    /// The model is writing something that cannot be passed on before it is whole, such as a call of a tool.
    Writing,
    /// That was all.
    Complete,
}
