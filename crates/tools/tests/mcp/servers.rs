//! A server in Python.

use serde_json::json;
use tarsy_domain::ToolStatus;
use tarsy_tools::ServerState;

use crate::support::{call, peers, pool, stdio};

#[tokio::test]
async fn a_python_server_tells_the_time() {
    let program = peers().join("python/bin/mcp-server-time").to_string_lossy().into_owned();
    let pool = pool();
    let toolbox = pool.open([stdio(&program, ["--local-timezone", "UTC"])]).await;
    assert_eq!(toolbox.health()[0].state, ServerState::Ready, "{:?}", toolbox.health());
    let time = call(&toolbox, "get_current_time", json!({"timezone": "Europe/Prague"})).await;
    assert!(time.text.contains("Europe/Prague"), "{time:?}");
    let wrong = call(&toolbox, "get_current_time", json!({"timezone": "Europe/Nowhere"})).await;
    assert_eq!(wrong.status, ToolStatus::Error, "{wrong:?}");
    pool.close().await;
}
