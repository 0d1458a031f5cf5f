//! Substitutes for what a reader has and a test machine lacks: free ports, a model at Ollama's address, a PostgreSQL server.
//!
//! Pages name default addresses. In commands and files they are replaced, consistently within a page; nothing else is
//! changed. The database is real; the model is a script behind a real Chat Completions API.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};

use tarsy_testkit::{ModelServer, ScriptedReply, ScriptedRequest, TestDatabase};
use tokio::runtime::Runtime;

/// The address of Ollama.
const MODEL: &str = "127.0.0.1:11434";
/// The database URL in the pages.
const DATABASE: &str = "postgres://tarsy@127.0.0.1:5432/tarsy";
/// The ports of the servers that pages start.
const SERVERS: &[&str] = &["8080", "8081", "50051"];

/// The substitutes for one page.
pub(crate) struct Substitutes {
    /// Addresses in the page and their replacements.
    replacements: Vec<(String, String)>,
    database: Option<TestDatabase>,
    runtime: Runtime,
    _model: ModelServer,
}

impl Substitutes {
    /// Starts the substitutes that a page needs.
    pub(crate) fn start(page: &str) -> Self {
        let runtime = Runtime::new().unwrap();
        let model = runtime.block_on(ModelServer::start(reply));
        let database = page.contains(DATABASE).then(|| runtime.block_on(TestDatabase::postgres()));
        let mut replacements: Vec<(String, String)> =
            SERVERS.iter().flat_map(|port| replace_port(port)).collect();
        replacements.push((MODEL.to_owned(), host_of(&model.url)));
        // Without parameters that only TARSy's driver supports.
        let plain = |database: &TestDatabase| database.url.split('?').next().unwrap().to_owned();
        replacements.extend(database.iter().map(|database| (DATABASE.to_owned(), plain(database))));
        Self { replacements, database, runtime, _model: model }
    }

    /// Replaces the addresses in a text.
    pub(crate) fn apply(&self, text: &str) -> String {
        self.replacements.iter().fold(text.to_owned(), |text, (address, other)| text.replace(address, other))
    }
}

impl Drop for Substitutes {
    fn drop(&mut self) {
        if let Some(database) = self.database.take() {
            self.runtime.block_on(database.remove());
        }
    }
}

/// Replaces a port with a free one, for every name of the host. Tests listen on loopback only.
fn replace_port(port: &str) -> Vec<(String, String)> {
    let free = free_port();
    let hosts = ["127.0.0.1", "localhost", "0.0.0.0"].iter();
    hosts.map(|host| (format!("{host}:{port}"), format!("127.0.0.1:{free}"))).collect()
}

/// Returns a free port below the ephemeral range, so that outgoing connections do not take it.
fn free_port() -> u16 {
    static TRIED: AtomicU16 = AtomicU16::new(0);
    loop {
        let start = u16::try_from(std::process::id() % 8000).unwrap();
        let port = 16_000 + (start + TRIED.fetch_add(1, Ordering::Relaxed)) % 16_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

fn host_of(url: &str) -> String {
    url.trim_start_matches("http://").split('/').next().unwrap().to_owned()
}

/// Calls the tool once, if it is bound, and then concludes.
fn reply(request: &ScriptedRequest) -> ScriptedReply {
    let text = request.text();
    let calls = "Thought: The pods first.\nAction: shop.kubectl_get\n\
                 Action Input: {\"kind\": \"pods\", \"namespace\": \"shop\"}\n";
    let concludes =
        "Thought: I know enough.\nFinal Answer: Containers of checkout are killed for their memory.\n";
    let text = match (text.contains("Final Answer:"), text.contains("shop.kubectl_get"), request.results()) {
        (false, ..) => "Hello.",
        (true, true, 0) => calls,
        (true, ..) => concludes,
    };
    ScriptedReply::Text(text.to_owned())
}
