//! The emulator, with a tap on the line to it.

use std::process::Command;

use serde_json::Value;
use url::Url;

use super::tap::Tap;
use crate::program::{Program, node_tool};

/// A running emulator.
pub(crate) struct Emulator {
    url: Url,
    tap: Tap,
    _program: Program,
}

impl Emulator {
    pub(crate) async fn start() -> Self {
        let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/llm/emulator/fixtures.json");
        let mut command = Command::new(node_tool("llmock"));
        command.args(["--port", "0", "--strict", "--chunk-size", "7", "--fixtures", fixtures]);
        let program = Program::start(&mut command);
        let url: Url = program.told("aimock server listening on ").parse().unwrap();
        let tap = Tap::open(url.port().unwrap()).await;
        Self { url, tap, _program: program }
    }

    /// Where it is reached, through the tap.
    pub(crate) fn url(&self, path: &str) -> Url {
        format!("http://127.0.0.1:{}/{path}", self.tap.port).parse().unwrap()
    }

    /// Every request as the emulator understood it.
    pub(crate) async fn journal(&self) -> Vec<Value> {
        let journal = reqwest::get(self.url.join("__aimock/journal").unwrap()).await.unwrap();
        serde_json::from_str(&journal.text().await.unwrap()).unwrap()
    }

    /// The last request, as it was on the line.
    pub(crate) fn sent_last(&self) -> String {
        let sent = self.tap.sent();
        sent.rsplit("POST ").next().unwrap().to_owned()
    }
}
