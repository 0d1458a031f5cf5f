//! Which call a piece of news belongs to. The call shows it through the screen of its execution.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::ProgressToken;
use tokio::sync::mpsc;

use crate::Progress;

/// How much news may wait for a caller; more is dropped, for the next news says it all.
const WAITING: usize = 32;

/// The calls of a connection that are under way, by their tokens. One lock guards the table.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProgressRoutes(Arc<Mutex<HashMap<ProgressToken, mpsc::Sender<Progress>>>>);

/// News of one call; dropping it ends the route.
pub(crate) struct ProgressRoute {
    routes: ProgressRoutes,
    token: ProgressToken,
    news: mpsc::Receiver<Progress>,
}

impl ProgressRoutes {
    /// Opens a route.
    pub(crate) fn open(&self, token: ProgressToken) -> ProgressRoute {
        let (sender, news) = mpsc::channel(WAITING);
        self.with(|routes| routes.insert(token.clone(), sender));
        ProgressRoute { routes: self.clone(), token, news }
    }

    /// Hands news to whoever waits for it.
    pub(crate) fn deliver(&self, token: &ProgressToken, progress: Progress) {
        self.with(|routes| routes.get(token).map(|sender| sender.try_send(progress).is_ok()));
    }

    fn with<T>(&self, change: impl FnOnce(&mut HashMap<ProgressToken, mpsc::Sender<Progress>>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ProgressRoute {
    /// The next piece of news; never, if there is none.
    pub(crate) async fn next(&mut self) -> Progress {
        match self.news.recv().await {
            Some(progress) => progress,
            None => std::future::pending().await,
        }
    }

    /// What has arrived and was not yet asked for.
    pub(crate) fn rest(&mut self) -> Vec<Progress> {
        std::iter::from_fn(|| self.news.try_recv().ok()).collect()
    }
}

impl Drop for ProgressRoute {
    fn drop(&mut self) {
        self.routes.with(|routes| routes.remove(&self.token));
    }
}
