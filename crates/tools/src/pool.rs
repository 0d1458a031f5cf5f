//! The pool of servers of the process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::join_all;

use crate::server::Server;
use crate::{Guard, Isolation, Screen, ServerHealth, ServerSettings, ToolBox};

/// What all servers of a process have in common.
#[derive(Debug, Clone)]
pub struct ServerContext {
    /// Environment of every program: `PATH`, `HOME`, `LANG` and the like, never credentials of this process.
    pub base_environment: Arc<BTreeMap<String, String>>,
    /// Command that starts the guard of a program.
    pub guard: Guard,
    /// Screen for texts that belong to no execution: log lines and reasons of failures.
    pub screen: Screen,
}

/// The servers that executions share. Cheap to clone.
#[derive(Clone)]
pub struct Pool {
    context: ServerContext,
    /// All shared servers that were requested so far. The lock is never held across an await.
    shared: Arc<Mutex<Vec<Arc<Server>>>>,
}

impl Pool {
    /// Creates an empty pool; servers are started on demand.
    pub fn new(context: ServerContext) -> Self {
        Self { context, shared: Arc::default() }
    }

    /// Returns the toolbox of an execution that uses these servers.
    ///
    /// New servers are connected concurrently. Returns when each of them is ready or has failed once. A
    /// failed server has no tools until it reconnects.
    pub async fn open(&self, servers: impl IntoIterator<Item = ServerSettings>) -> ToolBox {
        self.open_with_screen(self.context.screen.clone(), servers).await
    }

    /// Like [`Pool::open`], with a screen for this execution.
    pub async fn open_with_screen(
        &self,
        screen: Screen,
        servers: impl IntoIterator<Item = ServerSettings>,
    ) -> ToolBox {
        let servers: Vec<Arc<Server>> = servers.into_iter().map(|settings| self.server(settings)).collect();
        join_all(servers.iter().map(|server| server.settled())).await;
        ToolBox::new(servers, screen)
    }

    /// Returns the health of all shared servers.
    pub fn health(&self) -> Vec<ServerHealth> {
        self.with_shared(|shared| shared.iter().map(|server| server.health()).collect())
    }

    /// Closes all shared servers and waits for them to end.
    pub async fn close(&self) {
        let servers = self.with_shared(std::mem::take);
        join_all(servers.iter().map(|server| server.close())).await;
    }

    /// Returns a server with these settings. Equal settings share one server unless it is isolated.
    fn server(&self, settings: ServerSettings) -> Arc<Server> {
        let start = |settings| Arc::new(Server::start(settings, self.context.clone()));
        match settings.isolation {
            Isolation::Execution => start(settings),
            Isolation::Shared => self.with_shared(|shared| {
                if let Some(server) = shared.iter().find(|server| *server.settings() == settings) {
                    return server.clone();
                }
                let server = start(settings);
                shared.push(server.clone());
                server
            }),
        }
    }

    fn with_shared<T>(&self, act: impl FnOnce(&mut Vec<Arc<Server>>) -> T) -> T {
        act(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
