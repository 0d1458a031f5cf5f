//! An engine with an in-process server, for commands that run sessions without listening on a port.

use std::sync::Arc;

use tarsy_engine::Engine;
use tarsy_server::{AccessMode, AccessPolicy, App, InProcessServer, WebhookAuth};
use tarsy_store::Store;
use tokio_util::sync::CancellationToken;

use crate::client::ApiClient;
use crate::database::store_options;
use crate::serve::ProcessResources;
use crate::version::VERSION;

/// A running engine that only this process can access.
pub(crate) struct LocalEngine<'a> {
    resources: &'a ProcessResources,
    pub(crate) store: Store,
    engine: Engine,
    stop: CancellationToken,
    /// The client of the in-process server, which submits and watches sessions.
    pub(crate) client: ApiClient,
}

impl<'a> LocalEngine<'a> {
    /// Opens a database and starts an engine on it.
    pub(crate) async fn start(resources: &'a ProcessResources, database_url: &str) -> anyhow::Result<Self> {
        let store = Store::open_with(database_url, store_options(&resources.config())).await?;
        // The user of this process may do everything; the access rules of the configuration are for servers.
        let policy = AccessPolicy { access: AccessMode::Open, webhooks: WebhookAuth::default() };
        let stop = CancellationToken::new();
        let app = App::new(store.clone(), resources.config(), policy, VERSION, stop.clone())?;
        let engine = Engine::start(Arc::new(resources.for_engine(store.clone())));
        Ok(Self { resources, store, engine, stop, client: ApiClient::in_process(InProcessServer::new(app)) })
    }

    /// Stops the engine and the MCP servers, and closes the database.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.engine.stop().await;
        self.resources.close().await;
        self.store.close().await;
    }
}
