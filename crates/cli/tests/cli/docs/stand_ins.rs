//! What stands in for what a reader has and a test has not: free ports, a model at Ollama's address, a PostgreSQL at its usual one.
//!
//! Pages name the usual addresses. Commands and files are given others in their place, the same ones throughout a page; nothing
//! else about them is changed. The database is a real one, the model is a script behind a real Chat Completions interface.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};

use tarsy_testkit::{Asked, ModelServer, Said, TestDatabase};
use tokio::runtime::Runtime;

/// Where Ollama listens.
const MODEL: &str = "127.0.0.1:11434";
/// The database that pages speak of.
const DATABASE: &str = "postgres://tarsy@127.0.0.1:5432/tarsy";
/// Where servers listen that pages start.
const SERVERS: &[&str] = &["8080", "8081", "50051"];

/// Everything that stands in for something, for one page.
pub(crate) struct StandIns {
    /// What pages say, and what is put in its place.
    words: Vec<(String, String)>,
    database: Option<TestDatabase>,
    runtime: Runtime,
    _model: ModelServer,
}

impl StandIns {
    /// Those that a page with this text needs.
    pub(crate) fn start(page: &str) -> Self {
        let runtime = Runtime::new().unwrap();
        let model = runtime.block_on(ModelServer::start(say));
        let database = page.contains(DATABASE).then(|| runtime.block_on(TestDatabase::postgres()));
        let mut words: Vec<(String, String)> = SERVERS.iter().flat_map(|port| elsewhere(port)).collect();
        words.push((MODEL.to_owned(), host_of(&model.url)));
        // Without what only TARSy's driver understands.
        let plain = |database: &TestDatabase| database.url.split('?').next().unwrap().to_owned();
        words.extend(database.iter().map(|database| (DATABASE.to_owned(), plain(database))));
        Self { words, database, runtime, _model: model }
    }

    /// A text with the addresses that hold here.
    pub(crate) fn put_into(&self, text: &str) -> String {
        self.words.iter().fold(text.to_owned(), |text, (word, instead)| text.replace(word, instead))
    }
}

impl Drop for StandIns {
    fn drop(&mut self) {
        if let Some(database) = self.database.take() {
            self.runtime.block_on(database.remove());
        }
    }
}

/// A port that is free, for every name of this machine. Tests listen on loopback only.
fn elsewhere(port: &str) -> Vec<(String, String)> {
    let free = free_port();
    let hosts = ["127.0.0.1", "localhost", "0.0.0.0"].iter();
    hosts.map(|host| (format!("{host}:{port}"), format!("127.0.0.1:{free}"))).collect()
}

/// Below the range from which the kernel takes ports for outgoing connections, so that it stays free until it is used.
fn free_port() -> u16 {
    static TRIED: AtomicU16 = AtomicU16::new(0);
    loop {
        let beginning = u16::try_from(std::process::id() % 8000).unwrap();
        let port = 16_000 + (beginning + TRIED.fetch_add(1, Ordering::Relaxed)) % 16_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

fn host_of(url: &str) -> String {
    url.trim_start_matches("http://").split('/').next().unwrap().to_owned()
}

/// Looks at the pods of the shop once, if it can, and then knows.
fn say(asked: &Asked) -> Said {
    let text = asked.text();
    let looks = "Thought: The pods first.\nAction: shop.kubectl_get\n\
                 Action Input: {\"kind\": \"pods\", \"namespace\": \"shop\"}\n";
    let knows =
        "Thought: I know enough.\nFinal Answer: Containers of checkout are killed for their memory.\n";
    let said = match (text.contains("Final Answer:"), text.contains("shop.kubectl_get"), asked.results()) {
        (false, ..) => "Hello.",
        (true, true, 0) => looks,
        (true, ..) => knows,
    };
    Said::Text(said.to_owned())
}
