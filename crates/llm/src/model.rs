//! The contract that every model keeps.

use std::fmt;

use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};

use crate::{Chunk, ModelError, ModelRequest};

/// A reply as it arrives. Dropping it ends the request at once, at the vendor too.
pub type ChunkStream = BoxStream<'static, Result<Chunk, ModelError>>;

/// Something that answers a conversation.
pub trait Model: Send + Sync {
    /// Who answers.
    fn origin(&self) -> Origin;

    /// Sends the conversation when the stream is first polled, and gives the reply as it arrives.
    ///
    /// The stream ends after the last chunk of a complete reply, or with one error. A reply that the vendor cut
    /// short by accident is an error that carries what had arrived.
    fn stream(&self, request: ModelRequest) -> ChunkStream;
}

/// Who answered: reasoning state is only ever sent back to the same.
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
