//! The interface of all models.

use std::fmt;

use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};

use crate::{Chunk, ModelError, ModelRequest};

/// A reply as it arrives. Dropping it cancels the request, at the vendor too.
pub type ChunkStream = BoxStream<'static, Result<Chunk, ModelError>>;

/// A language model.
pub trait Model: Send + Sync {
    /// Returns the provider and the model.
    fn origin(&self) -> Origin;

    /// Sends the conversation when the stream is first polled, and yields the reply as it arrives.
    ///
    /// The stream ends after the last chunk of a complete reply, or with one error. A reply that
    /// broke off is an error that contains what had arrived.
    fn stream(&self, request: ModelRequest) -> ChunkStream;
}

/// The provider and model of a reply. Provider state is only sent back to the same origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The provider's name in the configuration.
    pub provider: String,
    /// The vendor's name of the model.
    pub model: String,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.provider, self.model)
    }
}
