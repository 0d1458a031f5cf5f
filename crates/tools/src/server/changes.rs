//! Subscribes to changes of a server's tools.
//!
//! Until protocol version 2025-11-25 servers notify on their own, and nothing is needed here. From 2026-07-28
//! on they notify subscribers only.

use std::convert::Infallible;
use std::time::Duration;

use rmcp::model::SubscriptionFilter;
use rmcp::service::ServiceError;
use tokio::sync::Notify;
use tokio::time::sleep;
use tracing::debug;

use crate::connection::LiveConnection;

/// Delay before subscribing again after the server has ended the stream.
const RESUBSCRIBE_DELAY: Duration = Duration::from_secs(15);

/// Stays subscribed for the lifetime of the connection and notifies `changed`. Never returns.
pub(crate) async fn watch_tool_changes(live: &LiveConnection, changed: &Notify) -> Infallible {
    if !needs_subscription(live) {
        return std::future::pending().await;
    }
    loop {
        if let Err(error) = subscribe(live, changed).await {
            debug!(%error, "subscription to tool changes failed");
        }
        sleep(RESUBSCRIBE_DELAY).await;
    }
}

/// Forwards the notifications of one stream until it ends.
async fn subscribe(live: &LiveConnection, changed: &Notify) -> Result<(), ServiceError> {
    let tools = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = live.peer.listen(tools).await?;
    loop {
        // Also once at the beginning, for changes before the subscription.
        changed.notify_one();
        if subscription.next().await?.is_none() {
            return Ok(());
        }
    }
}

fn needs_subscription(live: &LiveConnection) -> bool {
    live.peer.peer_info().is_some_and(|server| {
        let notifies = server.capabilities.tools.as_ref().and_then(|tools| tools.list_changed);
        notifies == Some(true) && !server.protocol_version.has_initialize()
    })
}
