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

    /// Sends an alert to a running process, follows its investigation to the end, and ends the process: answers all that
    /// the stream and the interface told of it.
    pub(crate) async fn follow(&self, alert: &str) -> String {
        self.follow_in(&[], alert, &[]).await
    }

    /// The same with these variables in the environment of the process, which is asked for these addresses at the end.
    pub(crate) async fn follow_in(
        &self,
        environment: &[(&str, &str)],
        alert: &str,
        paths: &[&str],
    ) -> String {
        let log = self.path().join("log");
        let process = Replica::start_in(environment, self.path(), &self.url(), log.clone());
        let told = timeout(SOON, async {
            let address = address(&log).await;
            let told = follow(&address, alert).await;
            told + &ask(&address, paths).await
        })
        .await;
        let log = fs::read_to_string(&log).unwrap();
        let told = told.unwrap_or_else(|_| panic!("it has not ended:\n{log}"));
        process.stop().await;
        told
    }

    async fn enter(&self, store: &Store, alert: &str) -> SessionId {
        let session = alert_for(&self.config.chain_for_alert_type("test").unwrap(), alert);
        let session_id = session.session_id;
        store.session_insert(session, QueueLimit::Unlimited, Timestamp::now()).await.unwrap();
        session_id
    }
}

/// Where a process listens, once it says so.
async fn address(log: &Path) -> String {
    let mut tick = tokio::time::interval(Duration::from_millis(20));
    loop {
        tick.tick().await;
        if let Some(address) = announced(&fs::read_to_string(log).unwrap()) {
            return address;
        }
    }
}

/// The address in a log, be it text or JSON.
fn announced(log: &str) -> Option<String> {
    let found = log.split_once("server.address=").or_else(|| log.split_once("\"server.address\":\""));
    let (address, _) = found?.1.split_once([' ', '"'])?;
    Some(address.to_owned())
}

/// The answers of these addresses, one after the other.
async fn ask(address: &str, paths: &[&str]) -> String {
    let mut told = String::new();
    for path in paths {
        let answer = reqwest::get(format!("http://{address}{path}")).await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        told.push_str(&answer.text().await.unwrap());
    }
    told
}

async fn follow(address: &str, alert: &str) -> String {
    let client = reqwest::Client::new();
    let submit = client.post(format!("http://{address}/alerts?alert_type=test")).body(alert.to_owned());
    let submitted = submit.send().await.unwrap();
    assert_eq!(submitted.status(), 202);
    let submitted: serde_json::Value = serde_json::from_str(&submitted.text().await.unwrap()).unwrap();
    let session = format!("http://{address}/api/v1/sessions/{}", submitted["session_id"].as_str().unwrap());
    let mut told = String::new();
    let mut stream = client.get(format!("{session}/events")).send().await.unwrap();
    while !has_ended(&told) {
        let chunk = stream.chunk().await.unwrap().unwrap();
        told.push_str(&String::from_utf8_lossy(&chunk));
    }
    for part in ["", "/timeline", "/trace", "/export", "/status"] {
        let answer = client.get(format!("{session}{part}")).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{part}");
        told.push_str(&answer.text().await.unwrap());
    }
    told
}

/// Whether the stream has told that the session ended.
fn has_ended(told: &str) -> bool {
    let messages = told.lines().filter_map(|line| line.strip_prefix("data: "));
    let mut messages = messages.filter_map(|json| serde_json::from_str::<serde_json::Value>(json).ok());
    messages.any(|message| message["type"] == "session.status" && message["data"]["status"] == "completed")
}
