//! A server on this machine that has an answer for each path, and keeps what it was asked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// A running server; it stops when it is dropped.
pub(crate) struct Peer {
    /// Its host and port.
    pub(crate) host: String,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

/// What to answer.
#[derive(Clone)]
pub(crate) struct Answer {
    head: String,
    body: Vec<u8>,
    /// Before anything is answered.
    pause: Duration,
    /// The body is sent again and again.
    is_endless: bool,
}

impl Answer {
    /// A text.
    pub(crate) fn text(body: impl Into<Vec<u8>>) -> Self {
        Self::typed("text/plain; charset=utf-8", body)
    }

    /// Something of a type.
    pub(crate) fn typed(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let head = format!("200 OK\r\ncontent-type: {content_type}");
        Self { head, body: body.into(), pause: Duration::ZERO, is_endless: false }
    }

    /// A status with nothing else.
    pub(crate) fn status(status: &str) -> Self {
        Self { head: status.to_owned(), ..Self::text("") }
    }

    /// Sent on to another place.
    pub(crate) fn redirect(to: &str) -> Self {
        Self::status(&format!("302 Found\r\nlocation: {to}"))
    }

    /// After a pause.
    pub(crate) fn after(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    /// Without an end.
    pub(crate) fn endless(self) -> Self {
        Self { is_endless: true, ..self }
    }
}

impl Peer {
    /// Starts a server with these answers. `HOST` in a head stands for its own host and port.
    pub(crate) async fn start(answers: impl IntoIterator<Item = (&'static str, Answer)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let answers = answers.into_iter().map(|(path, mut answer)| {
            answer.head = answer.head.replace("HOST", &host);
            (path, answer)
        });
        let answers: Arc<HashMap<&str, Answer>> = Arc::new(answers.collect());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(socket, Arc::clone(&answers), Arc::clone(&kept)));
            }
        });
        Self { host, requests, task }
    }

    /// The address of a path.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }

    /// The heads of the requests so far, in lower case.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A client that has heard enough closes the connection in the middle, which is not an error of the server.
async fn serve(
    mut socket: TcpStream,
    answers: Arc<HashMap<&str, Answer>>,
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
    let answer = answers.get(path.as_str()).cloned().unwrap_or_else(|| Answer::status("404 Not Found"));
    sleep(answer.pause).await;
    write_answer(&mut socket, &answer).await.ok();
}

async fn write_answer(socket: &mut TcpStream, answer: &Answer) -> std::io::Result<()> {
    let head = format!("HTTP/1.1 {}\r\nconnection: close\r\n\r\n", answer.head);
    socket.write_all(head.as_bytes()).await?;
    socket.write_all(&answer.body).await?;
    if answer.is_endless {
        loop {
            socket.write_all(&answer.body).await?;
        }
    }
    socket.shutdown().await
}
