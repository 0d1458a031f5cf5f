//! An HTTP server that responds with given bytes in pieces of any size, misbehaves on demand, and records
//! requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// A running server; it stops when it is dropped.
pub(crate) struct Peer {
    /// Its URL.
    pub(crate) url: url::Url,
    requests: Arc<Mutex<Vec<Received>>>,
    hang_ups: Arc<Notify>,
    task: JoinHandle<()>,
}

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    /// Path and query.
    pub(crate) path: String,
    /// Header lines, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The body.
    pub(crate) body: String,
}

/// A scripted response.
#[derive(Debug, Clone)]
pub(crate) struct ScriptedResponse {
    status: u16,
    headers: Vec<(&'static str, String)>,
    pieces: Vec<Vec<u8>>,
    /// Delay before each piece except the first.
    pause: Duration,
    then: Then,
}

/// What the server does after the last piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// Ends the response properly.
    End,
    /// Resets the connection.
    Reset,
    /// Sends nothing more until the client closes the connection.
    Hang,
    /// Repeats the last piece endlessly.
    Repeat,
}

impl ScriptedResponse {
    /// An event stream, in pieces of `piece` bytes.
    pub(crate) fn stream(body: &[u8], piece: usize) -> Self {
        let pieces = body.chunks(piece.max(1)).map(<[u8]>::to_vec).collect();
        Self {
            status: 200,
            headers: vec![("content-type", "text/event-stream".to_owned())],
            pieces,
            pause: Duration::ZERO,
            then: Then::End,
        }
    }

    /// An event stream with a delay before each piece except the first.
    pub(crate) fn slow_stream(pieces: &[&str], pause: Duration) -> Self {
        let pieces = pieces.iter().map(|piece| piece.as_bytes().to_vec()).collect();
        Self { pieces, pause, ..Self::stream(b"", 1) }
    }

    /// A response with a status.
    pub(crate) fn status(status: u16, body: &str) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Self { status, headers, ..Self::stream(body.as_bytes(), usize::MAX) }
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Sets what happens after the last piece.
    pub(crate) fn then(mut self, then: Then) -> Self {
        self.then = then;
        self
    }
}

impl Peer {
    /// Starts a server that sends these responses, one per request.
    pub(crate) async fn start(answers: impl IntoIterator<Item = ScriptedResponse>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        let hang_ups = Arc::new(Notify::new());
        let hang_up_sender = Arc::clone(&hang_ups);
        let answers = Arc::new(Mutex::new(answers.into_iter().collect::<VecDeque<_>>()));
        let task = tokio::spawn(async move {
            loop {
                let Ok((socket, _)) = listener.accept().await else { return };
                tokio::spawn(serve(
                    socket,
                    Arc::clone(&answers),
                    Arc::clone(&kept),
                    Arc::clone(&hang_up_sender),
                ));
            }
        });
        Self { url, requests, hang_ups, task }
    }

    /// Waits until a client closes its connection during a response.
    pub(crate) async fn next_hang_up(&self) {
        self.hang_ups.notified().await;
    }

    /// Returns the requests received so far.
    pub(crate) fn requests(&self) -> Vec<Received> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Received {
    /// Parses the body as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

async fn serve(
    mut socket: TcpStream,
    answers: Arc<Mutex<VecDeque<ScriptedResponse>>>,
    requests: Arc<Mutex<Vec<Received>>>,
    hang_ups: Arc<Notify>,
) {
    socket.set_nodelay(true).unwrap();
    let Some(received) = read_request(&mut socket).await else { return };
    requests.lock().unwrap().push(received);
    let answer = answers.lock().unwrap().pop_front();
    let answer = answer
        .unwrap_or_else(|| ScriptedResponse::status(500, "{\"error\":\"no answer is left in the script\"}"));
    if write_answer(&mut socket, &answer).await.is_err() {
        hang_ups.notify_one();
    }
}

async fn read_request(socket: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .map_or(0, |(_, value)| value.parse().unwrap());
    while bytes.len() < head + 4 + length {
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8_lossy(&bytes[head + 4..]).into_owned();
    Some(Received { path, headers, body })
}

async fn write_answer(socket: &mut TcpStream, answer: &ScriptedResponse) -> std::io::Result<()> {
    let headers: String = answer.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!(
        "HTTP/1.1 {} Status\r\n{headers}transfer-encoding: chunked\r\nconnection: close\r\n\r\n",
        answer.status
    );
    socket.write_all(head.as_bytes()).await?;
    for (number, piece) in answer.pieces.iter().enumerate() {
        if number > 0 {
            pause(answer).await;
        }
        write_piece(socket, piece).await?;
    }
    match answer.then {
        Then::End => socket.write_all(b"0\r\n\r\n").await?,
        Then::Reset => socket.set_zero_linger()?,
        Then::Hang => while socket.read(&mut [0; 64]).await? > 0 {},
        Then::Repeat => loop {
            pause(answer).await;
            write_piece(socket, answer.pieces.last().map_or(&[], Vec::as_slice)).await?;
        },
    }
    socket.shutdown().await
}

/// Does not sleep for a zero delay: even the shortest sleep yields to the timer.
async fn pause(answer: &ScriptedResponse) {
    if !answer.pause.is_zero() {
        sleep(answer.pause).await;
    }
}

async fn write_piece(socket: &mut TcpStream, piece: &[u8]) -> std::io::Result<()> {
    socket.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).await?;
    socket.write_all(piece).await?;
    socket.write_all(b"\r\n").await?;
    socket.flush().await
}

/// Timeout for conditions that are expected immediately.
pub(crate) const SOON: Duration = Duration::from_secs(20);
