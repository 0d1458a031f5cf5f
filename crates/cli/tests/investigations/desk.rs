//! A configuration, a database and a running process.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tarsy_config::{Config, Environment, Loaded};
use tarsy_domain::{SessionId, Timestamp};
use tarsy_store::{QueueLimit, Session, Store};
use tarsy_testkit::alert_for;
use tempfile::TempDir;
use tokio::time::timeout;

use crate::replica::Replica;

/// Long enough for a machine that has other things to do.
const SOON: Duration = Duration::from_secs(60);

pub(crate) struct Desk {
    directory: TempDir,
    config: Config,
}

impl Desk {
    /// A desk with these files in its configuration directory.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(directory.path().join(name), content).unwrap();
        }
        let loaded = Config::load(Some(directory.path()), &Environment::default());
        let Loaded { config, .. } = loaded.unwrap_or_else(|faults| panic!("{faults}"));
        Self { directory, config }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) async fn store(&self) -> Store {
        Store::open(&self.url()).await.unwrap()
    }

    fn url(&self) -> String {
        format!("sqlite:{}", self.path().join("tarsy.db").display())
    }

    /// Enters an alert, lets a process investigate it, and ends the process.
    pub(crate) async fn investigate(&self, alert: &str) -> Session {
        let store = self.store().await;
        let session_id = self.enter(&store, alert).await;
        let process = Replica::start(self.path(), &self.url(), self.path().join("log"));
        let look = async {
            let mut tick = tokio::time::interval(Duration::from_millis(20));
            loop {
                tick.tick().await;
                let session = store.session_fetch(session_id).await.unwrap().unwrap();
                if session.status.is_terminal() {
                    return session;
                }
            }
        };
        let ended = timeout(SOON, look).await;
        let log = fs::read_to_string(self.path().join("log")).unwrap();
        let session = ended.unwrap_or_else(|_| panic!("it has not ended:\n{log}"));
        process.stop().await;
        store.close().await;
        session
    }

    async fn enter(&self, store: &Store, alert: &str) -> SessionId {
        let session = alert_for(&self.config.chain_for_alert_type("test").unwrap(), alert);
        let session_id = session.session_id;
        store.session_insert(session, QueueLimit::Unlimited, Timestamp::now()).await.unwrap();
        session_id
    }
}
