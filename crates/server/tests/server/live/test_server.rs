//! A server on its own port, and a WebSocket client.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tarsy_config::{Config, Environment};
use tarsy_server::{AccessMode, AccessPolicy, App, Listening, WebhookAuth, router};
use tarsy_store::Store;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use tokio_util::sync::CancellationToken;

/// A server that stops when this is dropped.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    stop: CancellationToken,
}

impl TestServer {
    /// Starts a server over a store that receives notifications of other processes.
    pub(crate) async fn open(store: Store) -> Self {
        let config = Arc::new(Config::load(None, &Environment::default()).unwrap().config);
        let stop = CancellationToken::new();
        let policy = AccessPolicy { access: AccessMode::Open, webhooks: WebhookAuth::default() };
        let app = App::new(store.clone(), config, policy, "1.2.3", stop.clone()).unwrap();
        let listening = Listening::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = listening.address;
        tokio::spawn(listening.serve(router(app), stop.clone()));
        tokio::spawn(async move { store.listen().await });
        Self { address, stop }
    }

    pub(crate) async fn connect(&self) -> Client {
        Self::connect_to(self.address).await
    }

    pub(crate) async fn connect_to(address: SocketAddr) -> Client {
        let (socket, _) = connect_async(format!("ws://{address}/api/v1/ws")).await.unwrap();
        Client { socket }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

pub(crate) struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Client {
    pub(crate) async fn send(&mut self, command: Value) {
        self.send_text(&command.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    pub(crate) async fn subscribe(&mut self, channel: &str, last_event_id: Option<u64>) {
        self.send(json!({ "action": "subscribe", "channel": channel, "last_event_id": last_event_id })).await;
    }

    /// Receives the next message; None when the server closes the connection.
    pub(crate) async fn receive(&mut self) -> Option<Value> {
        loop {
            let next = tokio::time::timeout(Duration::from_secs(30), self.socket.next());
            match next.await.expect("a message within 30 s")? {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Receives messages until one has this type.
    pub(crate) async fn receive_type(&mut self, wanted: &str) -> Value {
        loop {
            let message = self.receive().await.expect("the server has not closed");
            if message["type"] == wanted {
                return message;
            }
        }
    }
}
