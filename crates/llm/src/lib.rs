//! Language models: one streaming interface and its implementations.
//!
//! A [`Model`] turns a conversation into a stream of [`Chunk`]s, or an error with a kind. Four wires cover
//! the vendors; each is a pure conversion of requests and events. Connections, timeouts, retries and fallback
//! are shared. This crate does not interpret conversations.

mod assemble;
mod chunk;
mod error;
mod model;
mod partial_reply;
mod request;
mod settings;
mod state;

mod names;

mod deadlines;
mod grpc;
mod http;
mod vendor;
mod wire;

mod breaker;
mod cassette;
mod estimated_usage;
mod fallback;
mod filtered_reply;
mod repetition;
mod retry;
mod stop_sequence;
mod time_limit;

pub use assemble::{Assembly, collect};
pub use breaker::{BreakerModel, BreakerPolicy, CircuitBreaker};
pub use cassette::{
    CassetteError, RecordedModel, ReplayModel, ReplayPace, Tape, load_cassette, parse_cassette,
};
pub use chunk::Chunk;
pub use error::ModelError;
pub use fallback::Fallback;
pub use grpc::{
    GrpcModel, GrpcSettings, InvalidServiceAddress, ModelSelection, ModelService, RemoteModel, SelectionError,
};
pub use http::CredentialsError;
pub use model::{ChunkStream, Model, Origin};
pub use repetition::RepetitionGuard;
pub use request::{ModelRequest, NativeTools, Tags};
pub use retry::{RetryPolicy, Retrying};
pub use settings::{Settings, Thinking, Timeouts};
pub use stop_sequence::StopSequenceGuard;
pub use tarsy_domain::ThinkingLevel;
pub use time_limit::TimeLimited;
pub use vendor::{ModelSetupError, Vendor};
