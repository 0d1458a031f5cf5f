//! A local HTTP server with one response per path. It keeps the requests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// A running server; it stops when it is dropped.
pub(crate) struct RunbookServer {
    /// Its host and port.
    pub(crate) host: String,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

/// The response of a path.
#[derive(Clone)]
pub(crate) struct ServedResponse {
    head: String,
    body: Vec<u8>,
    /// Delay of the response.
    pause: Duration,
    /// Whether the body is repeated without end.
    is_endless: bool,
}

impl ServedResponse {
    /// Returns a plain text.
    pub(crate) fn text(body: impl Into<Vec<u8>>) -> Self {
        Self::typed("text/plain; charset=utf-8", body)
    }

    /// Returns a body of a content type.
    pub(crate) fn typed(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let head = format!("200 OK\r\ncontent-type: {content_type}");
        Self { head, body: body.into(), pause: Duration::ZERO, is_endless: false }
    }

    /// Returns a status without a body.
    pub(crate) fn status(status: &str) -> Self {
        Self { head: status.to_owned(), ..Self::text("") }
    }

    /// Returns a redirect.
    pub(crate) fn redirect(to: &str) -> Self {
        Self::status(&format!("302 Found\r\nlocation: {to}"))
    }

    /// Delays the response.
    pub(crate) fn after(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    /// Repeats the body without end.
    pub(crate) fn endless(self) -> Self {
        Self { is_endless: true, ..self }
    }
}

impl RunbookServer {
    /// Starts a server with these responses. `HOST` in a head is replaced by its own host and port.
    pub(crate) async fn start(responses: impl IntoIterator<Item = (&'static str, ServedResponse)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let responses = responses.into_iter().map(|(path, mut response)| {
            response.head = response.head.replace("HOST", &host);
            (path, response)
        });
        let responses: Arc<HashMap<&str, ServedResponse>> = Arc::new(responses.collect());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(socket, Arc::clone(&responses), Arc::clone(&kept)));
            }
        });
        Self { host, requests, task }
    }

    /// Returns the URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }

    /// Returns the heads of the requests so far, in lower case.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for RunbookServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves one connection. A client may close it before the end of the body, which is not an error.
async fn serve(
    mut socket: TcpStream,
    responses: Arc<HashMap<&str, ServedResponse>>,
    requests: Arc<Mutex<Vec<String>>>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if socket.read_buf(&mut head).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let target = head.split(' ').nth(1).unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default().to_owned();
    requests.lock().unwrap().push(head);
    let response =
        responses.get(path.as_str()).cloned().unwrap_or_else(|| ServedResponse::status("404 Not Found"));
    sleep(response.pause).await;
    write_response(&mut socket, &response).await.ok();
}

async fn write_response(socket: &mut TcpStream, response: &ServedResponse) -> std::io::Result<()> {
    let head = format!("HTTP/1.1 {}\r\nconnection: close\r\n\r\n", response.head);
    socket.write_all(head.as_bytes()).await?;
    socket.write_all(&response.body).await?;
    if response.is_endless {
        loop {
            socket.write_all(&response.body).await?;
        }
    }
    socket.shutdown().await
}
