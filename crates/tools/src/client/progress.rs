//! Which call a piece of news belongs to. The call shows it through the screen of its execution.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::ProgressToken;
use tokio::sync::mpsc;

use crate::Progress;

/// How much news may wait for a caller; more is dropped, for the next news says it all.
const WAITING: usize = 32;

/// The calls of a connection that are under way. One lock guards the table.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProgressRoutes(Arc<Mutex<Table>>);

#[derive(Debug, Default)]
struct Table {
    routes: HashMap<ProgressToken, mpsc::Sender<Progress>>,
    /// News of calls that nobody waits for: a token is known once the request is on its way, and the first news may be
    /// faster than who sent it.
    early: Vec<(ProgressToken, Progress)>,
}

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
        let mut table = self.table();
        // Both hold the same number at most, so that all of them fit.
        for (_, progress) in table.early.extract_if(.., |(early, _)| *early == token) {
            let _fits = sender.try_send(progress);
        }
        table.routes.insert(token.clone(), sender);
        drop(table);
        ProgressRoute { routes: self.clone(), token, news }
    }

    /// Hands news to whoever waits for it.
    pub(crate) fn deliver(&self, token: &ProgressToken, progress: Progress) {
        let mut table = self.table();
        if let Some(sender) = table.routes.get(token) {
            let _dropped_if_full = sender.try_send(progress);
            return;
        }
        if table.early.len() == WAITING {
            table.early.remove(0);
        }
        table.early.push((token.clone(), progress));
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.routes.table().routes.remove(&self.token);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(done: f64) -> Progress {
        Progress { done, total: None, message: None }
    }

    fn token(number: i64) -> ProgressToken {
        ProgressToken(rmcp::model::NumberOrString::Number(number))
    }

    #[test]
    fn news_that_is_faster_than_its_caller_is_kept_in_order() {
        let routes = ProgressRoutes::default();
        routes.deliver(&token(1), news(1.0));
        routes.deliver(&token(2), news(9.0));
        routes.deliver(&token(1), news(2.0));
        let mut route = routes.open(token(1));
        routes.deliver(&token(1), news(3.0));
        assert_eq!(route.rest(), [news(1.0), news(2.0), news(3.0)]);
    }

    #[test]
    fn news_that_nobody_waits_for_does_not_pile_up() {
        let routes = ProgressRoutes::default();
        for number in 0..1000 {
            routes.deliver(&token(number), news(0.0));
        }
        assert_eq!(routes.table().early.len(), WAITING);
    }
}
