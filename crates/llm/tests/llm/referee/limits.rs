//! Quotas per minute, each for a key of its own, and a window for the conversation.

use futures_util::future::join_all;
use tarsy_domain::ModelFailureKind;

use super::court::{Court, REQUESTS_PER_MINUTE, TOKENS_PER_MINUTE, WINDOW_TOKENS};

/// The first request takes nearly all tokens of the minute, the second waits for as long as it is told.
pub(crate) async fn tokens(court: &Court) {
    let greedy = court.player_with_budget("quota-tokens", TOKENS_PER_MINUTE - 300);
    greedy.ask().await.unwrap();
    let modest = court.player_with_budget("quota-tokens", 800);
    modest.ask_about("Is there anything left?".to_owned()).await.unwrap();
}

/// More requests at once than a minute has.
pub(crate) async fn requests(court: &Court) {
    let player = court.player_with_budget("quota-requests", 10);
    let questions = (0..=REQUESTS_PER_MINUTE).map(|number| format!("What is {number}?"));
    for answer in join_all(questions.map(|question| player.ask_about(question))).await {
        answer.unwrap();
    }
}

/// A conversation that does not fit is not sent again.
pub(crate) async fn window(court: &Court) {
    let long = "word ".repeat(2 * WINDOW_TOKENS);
    let error = court.player("window").ask_about(long).await.unwrap_err();
    assert_eq!(error.failure.kind, ModelFailureKind::ContextTooLong, "{error}");
}
