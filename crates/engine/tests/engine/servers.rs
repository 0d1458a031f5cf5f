//! The toolbox of an execution with a local HTTP server.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tarsy_config::{Config, Environment};
use tarsy_domain::SessionId;
use tarsy_engine::{Caller, Maskers, Servers, SessionMask};
use tarsy_tools::{Guard, ServerState};

fn servers(tarsy: &str) -> (Servers, SessionMask) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tarsy.yaml"), tarsy).unwrap();
    let environment = Environment::default();
    let config = Arc::new(Config::load(Some(folder.path()), &environment).unwrap().config);
    let maskers = Arc::new(Maskers::new(&config).unwrap());
    let guard = Guard { program: Path::new("/nonexistent").to_owned(), arguments: Vec::new() };
    let servers = Servers::new(config, &environment, &maskers, guard);
    (servers, SessionMask::new(maskers, SessionId::new()))
}

#[tokio::test]
async fn suggests_the_nearest_name_for_an_unknown_server() {
    let (servers, mask) = servers("");
    let names = ["kubernets-server".to_owned()];
    let error = servers.open(&names, Caller::manual(), &mask).await.err().unwrap();
    assert_eq!(
        error.to_string(),
        "there is no MCP server `kubernets-server`, did you mean `kubernetes-server`?; there are: kubernetes-server"
    );
}

#[tokio::test]
async fn calls_the_cleanup_url_at_the_end_of_an_execution() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (servers, mask) = servers(&format!(
        "mcp_servers:\n  far:\n    transport:\n      type: http\n      url: http://{address}/mcp\n      \
         session_cleanup_url: http://{address}/sessions/{{{{.SESSION_ID}}}}\n"
    ));
    let request = std::thread::spawn(move || {
        listener.incoming().map(|stream| reject(&mut stream.unwrap())).find(|line| line.starts_with("DELETE"))
    });
    let caller = Caller::manual();
    let toolbox = servers.open(&["far".to_owned()], caller, &mask).await.unwrap();
    assert_eq!(toolbox.health()[0].state, ServerState::Failed);
    tokio::time::timeout(Duration::from_secs(20), toolbox.close()).await.unwrap();
    assert_eq!(
        request.join().unwrap().unwrap(),
        format!("DELETE /sessions/{} HTTP/1.1", caller.execution_id)
    );
    assert!(servers.health().is_empty());
}

/// Responds with 403 and returns the first line of the request.
fn reject(stream: &mut std::net::TcpStream) -> String {
    let mut request = [0; 4096];
    let length = stream.read(&mut request).unwrap();
    stream.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
    String::from_utf8_lossy(&request[..length]).lines().next().unwrap_or_default().to_owned()
}
