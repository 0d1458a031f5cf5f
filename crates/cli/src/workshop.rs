//! An engine at work, with a server that only this process can ask.

use std::sync::Arc;

use tarsy_engine::Engine;
use tarsy_server::{Access, App, Doors, Inside, Webhooks};
use tarsy_store::Store;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::serve::Outfit;
use crate::version::VERSION;

/// An engine at work for this process alone.
pub(crate) struct Workshop<'a> {
    outfit: &'a Outfit,
    pub(crate) store: Store,
    engine: Engine,
    stop: CancellationToken,
    /// How the engine is given work, and watched.
    pub(crate) client: Client,
}

impl<'a> Workshop<'a> {
    /// Opens a database and begins to work on what it has.
    pub(crate) async fn open(outfit: &'a Outfit, database_url: &str) -> anyhow::Result<Self> {
        let store = Store::open(database_url).await?;
        // Who started this process may do everything in it, whoever the configuration lets into a server.
        let doors = Doors { access: Access::Open, webhooks: Webhooks::default() };
        let stop = CancellationToken::new();
        let app = App::new(store.clone(), outfit.config(), doors, VERSION, stop.clone())?;
        let engine = Engine::start(Arc::new(outfit.parts(store.clone())));
        Ok(Self { outfit, store, engine, stop, client: Client::inside(Inside::new(app)) })
    }

    /// Puts everything away.
    pub(crate) async fn close(self) {
        self.stop.cancel();
        self.engine.stop().await;
        self.outfit.close().await;
        self.store.close().await;
    }
}
