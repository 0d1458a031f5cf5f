//! The `llm.v1` protocol, client and server.
//!
//! The messages are in `proto/llm/v1/llm.proto`; `convert` converts between them and our types.

mod client;
mod convert;
mod server;
mod state_cache;

pub use client::{GrpcModel, GrpcSettings, InvalidServiceAddress, RemoteModel};
pub use server::{ModelSelection, ModelService, SelectionError};

/// Maximum message size of both sides. Conversations and states often exceed gRPC's default of 4 MiB.
const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;

#[allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic, reason = "generated")]
mod contract {
    tonic::include_proto!("llm.v1");
}
