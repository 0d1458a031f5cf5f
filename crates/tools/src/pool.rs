//! The servers of the process, and what they are surrounded by.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::join_all;

use crate::server::Server;
use crate::{Guard, Isolation, Screen, ServerHealth, ServerSettings, ToolBox};

/// What servers are surrounded by, the same for all of a process.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// What every program finds in its environment: `PATH`, `HOME`, `LANG` and the like. Never our credentials.
    pub base_environment: Arc<BTreeMap<String, String>>,
    /// How a program's guard is started.
    pub guard: Guard,
    /// What is shown of what servers say by themselves, to the log and as the reason of a failure.
    pub screen: Screen,
}

/// Keeps the servers that executions share. Cheap to clone.
#[derive(Clone)]
pub struct Pool {
    surroundings: Surroundings,
    /// The shared servers that were ever asked for. The lock is never held across an await.
    shared: Arc<Mutex<Vec<Arc<Server>>>>,
}

impl Pool {
    /// A pool without servers; they come as they are asked for.
    pub fn new(surroundings: Surroundings) -> Self {
        Self { surroundings, shared: Arc::default() }
    }

    /// The tool box of an execution that uses these servers.
    ///
    /// Servers that are not there yet are connected to at the same time, and waited for until each is ready or has
    /// failed once. One that fails has no tools in the box until it comes back.
    pub async fn open(&self, servers: impl IntoIterator<Item = ServerSettings>) -> ToolBox {
        self.open_behind(self.surroundings.screen.clone(), servers).await
    }

    /// The same, for an execution that has a screen of its own for what it gets to see.
    pub async fn open_behind(
        &self,
        screen: Screen,
        servers: impl IntoIterator<Item = ServerSettings>,
    ) -> ToolBox {
        let servers: Vec<Arc<Server>> = servers.into_iter().map(|settings| self.server(settings)).collect();
        join_all(servers.iter().map(|server| server.settled())).await;
        ToolBox::new(servers, screen)
    }

    /// How the shared servers are doing.
    pub fn health(&self) -> Vec<ServerHealth> {
        self.with_shared(|shared| shared.iter().map(|server| server.health()).collect())
    }

    /// Ends all shared servers and waits until they have ended.
    pub async fn close(&self) {
        let servers = self.with_shared(std::mem::take);
        join_all(servers.iter().map(|server| server.close())).await;
    }

    /// The server with these settings; a shared one is the same for all who ask for the same.
    fn server(&self, settings: ServerSettings) -> Arc<Server> {
        let start = |settings| Arc::new(Server::start(settings, self.surroundings.clone()));
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
