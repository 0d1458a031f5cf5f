//! The emulator behind a recording proxy.

use std::process::Command;

use serde_json::Value;
use url::Url;

use super::recording_proxy::RecordingProxy;
use crate::program::{Program, node_tool};

/// A running emulator.
pub(crate) struct Emulator {
    url: Url,
    recording_proxy: RecordingProxy,
    _program: Program,
}

impl Emulator {
    pub(crate) async fn start() -> Self {
        let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/llm/emulator/fixtures.json");
        let mut command = Command::new(node_tool("llmock"));
        command.args(["--port", "0", "--strict", "--chunk-size", "7", "--fixtures", fixtures]);
        let program = Program::start(&mut command);
        let url: Url = program.printed_after("aimock server listening on ").parse().unwrap();
        let recording_proxy = RecordingProxy::open(url.port().unwrap()).await;
        Self { url, recording_proxy, _program: program }
    }

    /// Returns its URL, through the proxy.
    pub(crate) fn url(&self, path: &str) -> Url {
        format!("http://127.0.0.1:{}/{path}", self.recording_proxy.port).parse().unwrap()
    }

    /// Returns all requests as the emulator parsed them.
    pub(crate) async fn journal(&self) -> Vec<Value> {
        let journal = reqwest::get(self.url.join("__aimock/journal").unwrap()).await.unwrap();
        serde_json::from_str(&journal.text().await.unwrap()).unwrap()
    }

    /// Returns the bytes of the last request.
    pub(crate) fn sent_last(&self) -> String {
        let sent = self.recording_proxy.sent();
        sent.rsplit("POST ").next().unwrap().to_owned()
    }
}
