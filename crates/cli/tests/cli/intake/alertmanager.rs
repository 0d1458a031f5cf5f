//! A Prometheus rule fires, two Alertmanagers notify the server: one session.

use std::net::SocketAddr;

use tarsy_domain::TimelineEventType;
use tarsy_store::{Session, SessionFilter, Store};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::alert_source::{ALERT, AlertSource};
use super::process::serve;
use super::wait::until;

const CONFIG: &str = "
queue: { worker_count: 1 }
agents:
  Looker: { custom_instructions: Look. }
agent_chains:
  targets: { alert_types: [TargetDown], stages: [{ name: look, agent: Looker }] }
";

/// An HTTP server with a fixed response, stopped when it is dropped.
struct FixedResponse(JoinHandle<()>);

impl FixedResponse {
    async fn start(address: SocketAddr, response: &'static str) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        Self(tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                // An error means that the client has disconnected.
                drop(respond(connection, response).await);
            }
        }))
    }
}

impl Drop for FixedResponse {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn respond(mut connection: TcpStream, response: &str) -> std::io::Result<()> {
    let mut request = vec![0; 64 << 10];
    if connection.read(&mut request).await? == 0 {
        return Ok(());
    }
    let length = "content-length: 0\r\nconnection: close\r\n\r\n";
    connection.write_all(format!("HTTP/1.1 {response}\r\n{length}").as_bytes()).await?;
    connection.shutdown().await
}

async fn sessions(store: &Store) -> Vec<Session> {
    let page = store.session_list(&SessionFilter::default(), None, 100).await.unwrap();
    page.sessions.into_iter().map(|listed| listed.session).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_firing_is_one_session() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("tarsy.yaml"), CONFIG).unwrap();
    let url = format!("sqlite:{}", directory.path().join("tarsy.db").display());
    let store = Store::open(&url).await.unwrap();
    let listen = format!("127.0.0.1:{}", super::process::free_port());

    // The first server is overloaded.
    let busy = FixedResponse::start(listen.parse().unwrap(), "503 Service Unavailable").await;
    let source =
        AlertSource::start(directory.path(), &format!("http://{listen}/api/v1/webhooks/alertmanager"));
    until("failed requests", async || (source.failed().await.iter().sum::<u64>() >= 2).then_some(())).await;
    drop(busy);
    let (_process, _) = serve(directory.path(), &url, &listen);

    let before = source.sent().await;
    let session = until("session", async || sessions(&store).await.pop()).await;
    let repeated = async || source.sent().await.iter().zip(before).all(|(sent, before)| *sent >= before + 2);
    until("repeated notifications of both peers", async || repeated().await.then_some(())).await;
    let all = sessions(&store).await;
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!((session.alert_type.as_str(), session.author.as_deref()), (ALERT, Some("Alertmanager")));
    let input = store.session_input_fetch(session.session_id).await.unwrap().unwrap();
    assert_eq!(input.runbook.as_deref(), Some("https://github.com/example/runbooks/down.md"));

    // The target recovers, and the resolution is recorded once.
    let target = FixedResponse::start(source.target, "200 OK\r\ncontent-type: text/plain").await;
    let updates = async || {
        let timeline = store.timeline_list(session.session_id, 0, 100).await.unwrap();
        timeline.iter().filter(|event| event.entry.event_type == TimelineEventType::AlertUpdate).count()
    };
    until("alert update", async || (updates().await > 0).then_some(())).await;

    // The target fails again, which is another firing.
    drop(target);
    until("second session", async || (sessions(&store).await.len() > 1).then_some(())).await;
    assert_eq!((updates().await, sessions(&store).await.len()), (1, 2));
    store.close().await;
}
