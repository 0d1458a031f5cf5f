//! Our client before a referee: `llmock` breaks a model's interface in every way it knows, and judges what we do.
//!
//! Each wire format plays every scenario against a server of its own. What comes out is compared with what should, the
//! number of attempts too; in the end the referee's own verdict must be clean, warnings included.
//!
//! Left out, with the reason:
//! - 429 without `Retry-After`: the referee always sends one; `faults.rs` has it.
//! - A `Retry-After` beyond our longest pause: we give up on purpose, which the referee calls a fault; `faults.rs` has it.
//! - Faults by chance (`--error-rate`, `--stream-fault`) and by header: the same ones as here, only not repeatable.
//! - Malformed tool arguments on Gemini: its arguments are JSON themselves, so the referee sends none.
//! - Content filters on the Responses API: the referee knows no such ending there.
//! - A cut after the finish reason and before the terminator: the reply is whole by then, and we take it.

mod court;
mod limits;
mod player;
mod refusals;
mod scenario;
mod streams;
mod tools;
mod wire;

use court::Court;
use wire::Wire;

#[tokio::test]
async fn chat_completions_satisfy_the_referee() {
    Court::open(Wire::Chat).play().await;
}

#[tokio::test]
async fn responses_satisfy_the_referee() {
    Court::open(Wire::Responses).play().await;
}

#[tokio::test]
async fn anthropic_satisfies_the_referee() {
    Court::open(Wire::Anthropic).play().await;
}

#[tokio::test]
async fn gemini_satisfies_the_referee() {
    Court::open(Wire::Gemini).play().await;
}
