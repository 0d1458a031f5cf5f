//! A TCP proxy that records the bytes sent by the client.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A proxy to another local port.
pub(crate) struct RecordingProxy {
    pub(crate) port: u16,
    sent: Arc<Mutex<Vec<u8>>>,
    task: JoinHandle<()>,
}

impl RecordingProxy {
    pub(crate) async fn open(to: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let sent = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&sent);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
                let (from_client, mut to_client) = client.into_split();
                let (mut from_server, to_server) = server.into_split();
                tokio::spawn(keep(from_client, to_server, Arc::clone(&kept)));
                tokio::spawn(async move { copy(&mut from_server, &mut to_client).await });
            }
        });
        Self { port, sent, task }
    }

    /// Returns all bytes sent so far.
    pub(crate) fn sent(&self) -> String {
        String::from_utf8_lossy(&self.sent.lock().unwrap()).into_owned()
    }
}

impl Drop for RecordingProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn keep(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, sent: Arc<Mutex<Vec<u8>>>) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        sent.lock().unwrap().extend_from_slice(&bytes[..count]);
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}
