//! A `tarsy serve` process with its configuration and database.

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

/// Generous, because the machine may be busy.
const TIME_LIMIT: Duration = Duration::from_secs(60);

pub(crate) struct TestProcess {
    directory: TempDir,
    config: Config,
}

impl TestProcess {
    /// Creates a configuration directory with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(directory.path().join(name), content).unwrap();
        }
        let loaded = Config::load(Some(directory.path()), &Environment::default());
        let Loaded { config, .. } = loaded.unwrap_or_else(|errors| panic!("{errors}"));
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

    /// Submits an alert, waits until a process has investigated it, and stops the process.
    pub(crate) async fn investigate(&self, alert: &str) -> Session {
        let store = self.store().await;
        let session_id = self.submit(&store, alert).await;
        let process = Replica::start(self.path(), &self.url(), self.path().join("log"));
        let poll = async {
            let mut tick = tokio::time::interval(Duration::from_millis(20));
            loop {
                tick.tick().await;
                let session = store.session_fetch(session_id).await.unwrap().unwrap();
                if session.status.is_terminal() {
                    return session;
                }
            }
        };
        let ended = timeout(TIME_LIMIT, poll).await;
        let log = fs::read_to_string(self.path().join("log")).unwrap();
        let session = ended.unwrap_or_else(|_| panic!("the session did not end in time:\n{log}"));
        process.stop().await;
        store.close().await;
        session
    }

    /// Submits an alert over HTTP, follows its stream to the end, and stops the process. Returns everything that the stream
    /// and the API returned.
    pub(crate) async fn follow(&self, alert: &str) -> String {
        self.follow_in(&[], alert, &[]).await
    }

    /// Like [`Self::follow`], with environment variables, and paths that are requested at the end.
    pub(crate) async fn follow_in(
        &self,
        environment: &[(&str, &str)],
        alert: &str,
        paths: &[&str],
    ) -> String {
        let log = self.path().join("log");
        let process = Replica::start_in(environment, self.path(), &self.url(), log.clone());
        let received = timeout(TIME_LIMIT, async {
            let address = address(&log).await;
            let received = follow(&address, alert).await;
            received + &get_all(&address, paths).await
        })
        .await;
        let log = fs::read_to_string(&log).unwrap();
        let received = received.unwrap_or_else(|_| panic!("the session did not end in time:\n{log}"));
        process.stop().await;
        received
    }

    async fn submit(&self, store: &Store, alert: &str) -> SessionId {
        let session = alert_for(&self.config.chain_for_alert_type("test").unwrap(), alert);
        let session_id = session.session_id;
        store.session_insert(session, QueueLimit::Unlimited, Timestamp::now()).await.unwrap();
        session_id
    }
}

/// Waits until the process logs its address.
async fn address(log: &Path) -> String {
    let mut tick = tokio::time::interval(Duration::from_millis(20));
    loop {
        tick.tick().await;
        if let Some(address) = logged_address(&fs::read_to_string(log).unwrap()) {
            return address;
        }
    }
}

/// Returns the address in a log, in text or JSON.
fn logged_address(log: &str) -> Option<String> {
    let found = log.split_once("server.address=").or_else(|| log.split_once("\"server.address\":\""));
    let (address, _) = found?.1.split_once([' ', '"'])?;
    Some(address.to_owned())
}

/// Returns the responses of these paths, concatenated.
async fn get_all(address: &str, paths: &[&str]) -> String {
    let mut received = String::new();
    for path in paths {
        let response = reqwest::get(format!("http://{address}{path}")).await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        received.push_str(&response.text().await.unwrap());
    }
    received
}

async fn follow(address: &str, alert: &str) -> String {
    let client = reqwest::Client::new();
    let submit = client.post(format!("http://{address}/alerts?alert_type=test")).body(alert.to_owned());
    let submitted = submit.send().await.unwrap();
    assert_eq!(submitted.status(), 202);
    let submitted: serde_json::Value = serde_json::from_str(&submitted.text().await.unwrap()).unwrap();
    let session = format!("http://{address}/api/v1/sessions/{}", submitted["session_id"].as_str().unwrap());
    let mut received = String::new();
    let mut stream = client.get(format!("{session}/events")).send().await.unwrap();
    while !has_ended(&received) {
        let chunk = stream.chunk().await.unwrap().unwrap();
        received.push_str(&String::from_utf8_lossy(&chunk));
    }
    for part in ["", "/timeline", "/trace", "/export", "/status"] {
        let response = client.get(format!("{session}{part}")).send().await.unwrap();
        assert_eq!(response.status(), 200, "{part}");
        received.push_str(&response.text().await.unwrap());
    }
    received
}

/// Returns whether the stream contains the end of the session.
fn has_ended(received: &str) -> bool {
    let messages = received.lines().filter_map(|line| line.strip_prefix("data: "));
    let mut messages = messages.filter_map(|json| serde_json::from_str::<serde_json::Value>(json).ok());
    messages.any(|message| message["type"] == "session.status" && message["data"]["status"] == "completed")
}
