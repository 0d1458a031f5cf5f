//! Quotas per minute with separate keys, and the context window.

use futures_util::future::join_all;
use tarsy_domain::ModelFailureKind;

use super::server::{FaultServer, REQUESTS_PER_MINUTE, TOKENS_PER_MINUTE, WINDOW_TOKENS};

/// The first request uses nearly all tokens of the minute, the second waits for `Retry-After`.
pub(crate) async fn tokens(server: &FaultServer) {
    let greedy = server.client_with_budget("quota-tokens", TOKENS_PER_MINUTE - 300);
    greedy.ask().await.unwrap();
    let modest = server.client_with_budget("quota-tokens", 800);
    modest.ask_about("Is there anything left?".to_owned()).await.unwrap();
}

/// Sends more concurrent requests than the quota per minute.
pub(crate) async fn requests(server: &FaultServer) {
    let client = server.client_with_budget("quota-requests", 10);
    let questions = (0..=REQUESTS_PER_MINUTE).map(|number| format!("What is {number}?"));
    for answer in join_all(questions.map(|question| client.ask_about(question))).await {
        answer.unwrap();
    }
}

/// A conversation that exceeds the window is not retried.
pub(crate) async fn window(server: &FaultServer) {
    let long = "word ".repeat(2 * WINDOW_TOKENS);
    let error = server.client("window").ask_about(long).await.unwrap_err();
    assert_eq!(error.failure.kind, ModelFailureKind::ContextTooLong, "{error}");
}
