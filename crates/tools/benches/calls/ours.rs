//! Calls through the toolbox.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::json;
use tarsy_domain::{ToolCall, ToolStatus};
use tarsy_tools::{
    Guard, HttpEndpoint, Pool, Program, Screen, ServerContext, ServerSettings, ToolBox, Transport,
};
use tokio_util::sync::CancellationToken;

pub(crate) struct Ours {
    pool: Pool,
    toolbox: ToolBox,
}

impl Ours {
    pub(crate) async fn with_program(program: &Path, argument: &str) -> Self {
        Self::open(Transport::Stdio(Program::new(program.to_string_lossy(), [argument]))).await
    }

    pub(crate) async fn over_http(url: &str) -> Self {
        Self::open(Transport::Http(HttpEndpoint::new(url))).await
    }

    async fn open(transport: Transport) -> Self {
        let path = std::env::vars().filter(|(name, _)| name == "PATH");
        let guard = Guard {
            program: env!("CARGO_BIN_EXE_tarsy-tools-probe").into(),
            arguments: vec!["guard".to_owned()],
        };
        let base_environment = Arc::new(BTreeMap::from_iter(path));
        let pool = Pool::new(ServerContext { base_environment, guard, screen: Screen::transparent() });
        let toolbox = pool.open([ServerSettings::new("peer", transport)]).await;
        assert!(!toolbox.tools().is_empty(), "{:?}", toolbox.health());
        Self { pool, toolbox }
    }

    pub(crate) async fn call(&self, text: &str) {
        let arguments = json!({ "message": text }).to_string();
        let call = ToolCall { id: "call".to_owned(), name: "peer.echo".to_owned(), arguments };
        let outcome = self.toolbox.call(&call, &CancellationToken::new(), |_| {}).await.unwrap();
        assert!(outcome.status == ToolStatus::Ok && outcome.text.len() >= text.len(), "{}", outcome.text);
    }

    pub(crate) async fn call_concurrently(&self, text: &str, calls: usize) {
        join_all((0..calls).map(|_| self.call(text))).await;
    }

    pub(crate) async fn close(self) {
        self.pool.close().await;
    }
}
