//! An HTTP client that uses one connection and reports when it is closed.
//!
//! It implements just enough HTTP for tests and benchmarks: sequential requests, and replies with a content
//! length.

use std::io::{Error, ErrorKind};
use std::net::SocketAddr;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// A connection to a server.
pub struct HttpClient {
    stream: BufReader<TcpStream>,
}

/// The reply of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpReply {
    /// The status code.
    pub status: u16,
    /// The body.
    pub body: String,
}

impl HttpClient {
    /// Connects to a server.
    pub async fn connect(address: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Sends a POST request with a JSON body.
    pub async fn post_json(&mut self, path: &str, body: &str) -> std::io::Result<HttpReply> {
        let length = body.len();
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}"
        ))
        .await
    }

    async fn send(&mut self, request: &str) -> std::io::Result<HttpReply> {
        self.stream.write_all(request.as_bytes()).await?;
        let status = self.line().await?;
        let status =
            status.split(' ').nth(1).and_then(|code| code.parse().ok()).ok_or_else(unexpected_end)?;
        let mut length = 0;
        loop {
            let line = self.line().await?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(text) = line.strip_prefix("content-length:") {
                length = text.trim().parse().map_err(|_| unexpected_end())?;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await?;
        Ok(HttpReply { status, body: String::from_utf8_lossy(&body).into_owned() })
    }

    async fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err(unexpected_end());
        }
        Ok(line.trim_end().to_owned())
    }
}

fn unexpected_end() -> Error {
    Error::new(ErrorKind::UnexpectedEof, "the server closed the connection")
}
