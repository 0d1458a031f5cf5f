//! Polling with a time limit.

use std::time::Duration;

use tokio::time::timeout;

/// Generous, because the machine may be busy.
const TIME_LIMIT: Duration = Duration::from_secs(90);

/// Polls until a value is available.
pub(crate) async fn until<T>(what: &str, poll: impl AsyncFn() -> Option<T>) -> T {
    let polling = async {
        let mut tick = tokio::time::interval(Duration::from_millis(100));
        loop {
            tick.tick().await;
            if let Some(value) = poll().await {
                return value;
            }
        }
    };
    timeout(TIME_LIMIT, polling).await.unwrap_or_else(|_| panic!("no {what} within {TIME_LIMIT:?}"))
}
