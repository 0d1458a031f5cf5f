//! Routes progress notifications to the calls they belong to. The call applies the screen of its execution.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::ProgressToken;
use tokio::sync::mpsc;

use crate::CallProgress;

/// Capacity of a route. When it is full, notifications are dropped; the next one supersedes them.
const ROUTE_CAPACITY: usize = 32;

/// Routes to the calls of a connection that are in flight.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProgressRoutes(Arc<Mutex<RouteTable>>);

#[derive(Debug, Default)]
struct RouteTable {
    routes: HashMap<ProgressToken, mpsc::Sender<CallProgress>>,
    /// Notifications without a route: a token is known only after the request was sent, and the first
    /// notification may arrive before the route is opened.
    early: Vec<(ProgressToken, CallProgress)>,
}

/// Receives the progress of one call; dropping it closes the route.
pub(crate) struct ProgressRoute {
    routes: ProgressRoutes,
    token: ProgressToken,
    receiver: mpsc::Receiver<CallProgress>,
}

impl ProgressRoutes {
    /// Opens the route of a call.
    pub(crate) fn open(&self, token: ProgressToken) -> ProgressRoute {
        let (sender, receiver) = mpsc::channel(ROUTE_CAPACITY);
        let mut table = self.table();
        // Both have the same capacity, so all of them fit.
        for (_, progress) in table.early.extract_if(.., |(early, _)| *early == token) {
            let _fits = sender.try_send(progress);
        }
        table.routes.insert(token.clone(), sender);
        drop(table);
        ProgressRoute { routes: self.clone(), token, receiver }
    }

    /// Sends a notification to its route, or keeps it until the route is opened.
    pub(crate) fn deliver(&self, token: &ProgressToken, progress: CallProgress) {
        let mut table = self.table();
        if let Some(sender) = table.routes.get(token) {
            let _dropped_if_full = sender.try_send(progress);
            return;
        }
        if table.early.len() == ROUTE_CAPACITY {
            table.early.remove(0);
        }
        table.early.push((token.clone(), progress));
    }

    fn table(&self) -> MutexGuard<'_, RouteTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgressRoute {
    /// Waits for the next notification; never returns if none arrives.
    pub(crate) async fn next(&mut self) -> CallProgress {
        match self.receiver.recv().await {
            Some(progress) => progress,
            None => std::future::pending().await,
        }
    }

    /// Returns the notifications that have arrived and were not received yet.
    pub(crate) fn drain(&mut self) -> Vec<CallProgress> {
        std::iter::from_fn(|| self.receiver.try_recv().ok()).collect()
    }
}

impl Drop for ProgressRoute {
    fn drop(&mut self) {
        self.routes.table().routes.remove(&self.token);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(done: f64) -> CallProgress {
        CallProgress { done, total: None, message: None }
    }

    fn token(number: i64) -> ProgressToken {
        ProgressToken(rmcp::model::NumberOrString::Number(number))
    }

    #[test]
    fn keeps_early_notifications_in_order() {
        let routes = ProgressRoutes::default();
        routes.deliver(&token(1), progress(1.0));
        routes.deliver(&token(2), progress(9.0));
        routes.deliver(&token(1), progress(2.0));
        let mut route = routes.open(token(1));
        routes.deliver(&token(1), progress(3.0));
        assert_eq!(route.drain(), [progress(1.0), progress(2.0), progress(3.0)]);
    }

    #[test]
    fn bounds_the_number_of_early_notifications() {
        let routes = ProgressRoutes::default();
        for number in 0..1000 {
            routes.deliver(&token(number), progress(0.0));
        }
        assert_eq!(routes.table().early.len(), ROUTE_CAPACITY);
    }
}
