//! The list of runbooks of the engine, as the server returns it.

use std::sync::Arc;

use futures_util::FutureExt;
use tarsy_engine::{RunbookCatalog, Runbooks};
use tarsy_server::{ListedRunbook, RunbookLister, RunbookListing};

/// Returns the callback that lists runbooks for the server.
pub(crate) fn runbook_lister(runbooks: Arc<Runbooks>) -> RunbookLister {
    Arc::new(move || {
        let runbooks = Arc::clone(&runbooks);
        async move { listing(runbooks.list().await) }.boxed()
    })
}

fn listing(catalog: RunbookCatalog) -> RunbookListing {
    let runbooks = catalog.files.into_iter().map(|file| ListedRunbook {
        name: file.path.rsplit('/').next().unwrap_or_default().to_owned(),
        path: file.path,
        title: file.title,
        url: file.url,
    });
    RunbookListing {
        source: catalog.source,
        runbooks: runbooks.collect(),
        truncated: catalog.truncated,
        error: catalog.error,
    }
}
