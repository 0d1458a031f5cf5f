//! Waiting for something that is looked for again and again.

use std::time::Duration;

use tokio::time::timeout;

/// Long enough for a machine that has other things to do.
const SOON: Duration = Duration::from_secs(90);

/// Waits until something is there.
pub(crate) async fn until<T>(what: &str, look: impl AsyncFn() -> Option<T>) -> T {
    let looking = async {
        let mut tick = tokio::time::interval(Duration::from_millis(100));
        loop {
            tick.tick().await;
            if let Some(found) = look().await {
                return found;
            }
        }
    };
    timeout(SOON, looking).await.unwrap_or_else(|_| panic!("it did not come within {SOON:?}: {what}"))
}
