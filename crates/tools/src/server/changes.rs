//! Asks to be told when a server's tools change.
//!
//! Before 2026 every server told so by itself, and nothing is asked here. Since then it tells who listens.

use std::convert::Infallible;
use std::time::Duration;

use rmcp::model::SubscriptionFilter;
use rmcp::service::ServiceError;
use tokio::sync::Notify;
use tokio::time::sleep;
use tracing::debug;

use crate::connection::Live;

/// How long we wait before listening again, when a server ended the stream that it told us things on.
const LISTENS_AGAIN_AFTER: Duration = Duration::from_secs(15);

/// Listens as long as the connection is there, and passes on that the tools have changed.
pub(crate) async fn listen_for_changes(live: &Live, changed: &Notify) -> Infallible {
    if !tells_only_who_listens(live) {
        return std::future::pending().await;
    }
    loop {
        if let Err(error) = listen(live, changed).await {
            debug!(%error, "the server does not tell when its tools change");
        }
        sleep(LISTENS_AGAIN_AFTER).await;
    }
}

/// Listens to one stream until it ends.
async fn listen(live: &Live, changed: &Notify) -> Result<(), ServiceError> {
    let tools = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = live.peer.listen(tools).await?;
    loop {
        // Also once at the beginning: what changed before somebody listened was told to nobody.
        changed.notify_one();
        if subscription.next().await?.is_none() {
            return Ok(());
        }
    }
}

fn tells_only_who_listens(live: &Live) -> bool {
    live.peer.peer_info().is_some_and(|server| {
        let tells = server.capabilities.tools.as_ref().and_then(|tools| tools.list_changed);
        tells == Some(true) && !server.protocol_version.has_initialize()
    })
}
