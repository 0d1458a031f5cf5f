//! The `llm.v1` contract, both ways: use somebody's model service, or be one.
//!
//! What travels is in `proto/llm/v1/llm.proto`; `convert` is the only place that knows both its words and ours.

mod client;
mod convert;
mod memory;
mod server;

pub use client::{BadAddress, GrpcModel, GrpcSettings};
pub use server::{Asked, ModelService, Refused};

/// What either side takes. Larger conversations, and states, than gRPC's own default of 4 MiB are ordinary.
const LARGEST_MESSAGE: usize = 64 * 1024 * 1024;

#[allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic, reason = "generated")]
mod contract {
    tonic::include_proto!("llm.v1");
}
