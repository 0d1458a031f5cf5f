//! Models: one streaming contract, and the providers that keep it.
//!
//! A [`Model`] turns a conversation into a stream of [`Chunk`]s, or an error that says what kind it is. Four wire
//! formats cover the vendors; each is a pure translation of requests and events. What happens around them is
//! shared: sending, timeouts, retries, fallback. Nothing here knows what the conversation is about.

mod assemble;
mod chunk;
mod error;
mod model;
mod request;
mod said;
mod settings;
mod state;

mod names;

mod grpc;
mod http;
mod patience;
mod vendor;
mod wire;

mod cassette;
mod fallback;
mod repetition;
mod retry;

pub use assemble::{Assembly, collect};
pub use cassette::{
    CassetteError, RecordedModel, ReplayModel, ReplayPace, Tape, load_cassette, parse_cassette,
};
pub use chunk::Chunk;
pub use error::ModelError;
pub use fallback::Fallback;
pub use grpc::{Asked, BadAddress, GrpcModel, GrpcSettings, ModelService, Refused};
pub use http::CredentialsError;
pub use model::{ChunkStream, Model, Origin};
pub use repetition::Bounded;
pub use request::{ModelRequest, NativeTools, Tags};
pub use retry::{RetryPolicy, Retrying};
pub use settings::{Settings, Thinking, ThinkingLevel, Timeouts};
pub use vendor::{ConnectError, Vendor};
