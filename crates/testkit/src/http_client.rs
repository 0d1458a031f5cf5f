//! A client that keeps one connection and sees it break.
//!
//! It speaks just enough HTTP for tests and benchmarks: one request after the other, answers with a length.

use std::io::{Error, ErrorKind};
use std::net::SocketAddr;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// One connection to a server.
pub struct HttpClient {
    stream: BufReader<TcpStream>,
}

/// What a server answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpAnswer {
    /// The status code.
    pub status: u16,
    /// The body.
    pub body: String,
}

impl HttpClient {
    /// Connects.
    pub async fn connect(address: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Sends JSON.
    pub async fn post_json(&mut self, path: &str, body: &str) -> std::io::Result<HttpAnswer> {
        let length = body.len();
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}"
        ))
        .await
    }

    async fn send(&mut self, request: &str) -> std::io::Result<HttpAnswer> {
        self.stream.write_all(request.as_bytes()).await?;
        let status = self.line().await?;
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok()).ok_or_else(broken)?;
        let mut length = 0;
        loop {
            let line = self.line().await?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(text) = line.strip_prefix("content-length:") {
                length = text.trim().parse().map_err(|_| broken())?;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await?;
        Ok(HttpAnswer { status, body: String::from_utf8_lossy(&body).into_owned() })
    }

    async fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err(broken());
        }
        Ok(line.trim_end().to_owned())
    }
}

fn broken() -> Error {
    Error::new(ErrorKind::UnexpectedEof, "the server broke off")
}
