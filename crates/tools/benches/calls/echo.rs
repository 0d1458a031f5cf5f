//! A minimal echo server, over a pipe or over HTTP.

use std::io::{BufRead, Write};
use std::net::TcpListener as StdListener;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Serves standard input until its end.
pub(crate) fn serve_pipe() {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        if let Some(answer) = answer(line.unwrap().as_bytes()) {
            out.write_all(format!("{answer}\n").as_bytes()).unwrap();
            out.flush().unwrap();
        }
    }
}

/// Serves a port in a thread and returns the port.
pub(crate) fn serve_http() -> u16 {
    let listener = StdListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).unwrap();
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket));
            }
        });
    });
    port
}

/// Serves one connection. Reads only the `Content-Length` header.
async fn serve(socket: TcpStream) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let mut socket = BufReader::new(socket);
    loop {
        let (mut line, mut length, mut is_post) = (String::new(), 0, false);
        while line != "\r\n" {
            line.clear();
            if socket.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            is_post |= line.starts_with("POST ");
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        socket.read_exact(&mut body).await?;
        let (status, answer) = match answer(&body) {
            Some(answer) => ("200 OK", answer.to_string()),
            None if is_post => ("202 Accepted", String::new()),
            None => ("405 Method Not Allowed", String::new()),
        };
        let kind = "content-type: application/json";
        let head = format!("HTTP/1.1 {status}\r\n{kind}\r\ncontent-length: {}\r\n\r\n", answer.len());
        socket.get_mut().write_all(&[head.as_bytes(), answer.as_bytes()].concat()).await?;
    }
}

fn answer(message: &[u8]) -> Option<Value> {
    let message: Value = serde_json::from_slice(message).ok()?;
    let tools = json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]});
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "bare", "version": "1"},
        }),
        "tools/list" => tools,
        "tools/call" => {
            json!({"content": [{"type": "text", "text": message["params"]["arguments"]["message"]}]})
        }
        _ => return None,
    };
    Some(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}
