//! Tests against `llmock`, a third-party server that injects faults into a model API and judges the client.
//!
//! Each wire format runs every scenario against its own server. Outcome and number of attempts are compared
//! with the expected ones, and the server's final verdict must be free of errors and warnings.
//!
//! Omitted, with the reason:
//! - 429 without `Retry-After`: `llmock` always sends one; `faults.rs` covers it.
//! - A `Retry-After` above our maximum: we give up on purpose, which `llmock` reports as a fault; `faults.rs`
//!   covers it.
//! - Random faults (`--error-rate`, `--stream-fault`) and faults by header: the same ones as here, but not
//!   reproducible.
//! - Malformed tool arguments on Gemini: its arguments are JSON themselves, so `llmock` sends none.
//! - Content filters on the Responses API: `llmock` does not support them there.
//! - A cut after the finish reason and before the terminator: the reply is complete by then, and we accept
//!   it.

mod client;
mod error_responses;
mod limits;
mod scenario;
mod server;
mod streams;
mod tools;
mod wire;

use server::FaultServer;
use wire::Wire;

#[tokio::test]
async fn chat_completions_pass_all_scenarios() {
    FaultServer::open(Wire::Chat).play().await;
}

#[tokio::test]
async fn responses_pass_all_scenarios() {
    FaultServer::open(Wire::Responses).play().await;
}

#[tokio::test]
async fn anthropic_passes_all_scenarios() {
    FaultServer::open(Wire::Anthropic).play().await;
}

#[tokio::test]
async fn gemini_passes_all_scenarios() {
    FaultServer::open(Wire::Gemini).play().await;
}
