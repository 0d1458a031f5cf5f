//! Binds an address and serves connections until shutdown.
//!
//! Without authentication the server binds loopback addresses only, because every caller can read every
//! investigation. The resources of connections are limited here: their number, the time until a request head
//! is complete, and its size. The resources of a request are limited by its route.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;
use tracing::{debug, warn};

use crate::AccessMode;

/// Delay after a failed accept, e.g. when the process is out of file descriptors.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(500);

/// The server cannot listen.
#[derive(Debug, Error)]
pub enum ListenError {
    /// Other machines could reach the server, and authentication is disabled.
    #[error(
        "refusing to listen on {0}: other machines can reach it and authentication is disabled; set \
         `system.access.tokens: true` and create tokens with `tarsy token create`, configure the proxy in front in \
         `system.access.proxy`, or listen on 127.0.0.1 or [::1]"
    )]
    Exposed(SocketAddr),

    /// The address cannot be bound.
    #[error("listening on {address}{}", advice(source))]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },
}

/// Returns what to do about an address that is in use.
fn advice(source: &io::Error) -> &'static str {
    if source.kind() != io::ErrorKind::AddrInUse {
        return "";
    }
    ": another program uses this address; choose another one with --listen (port 0 selects a free port)"
}

/// Resource limits of connections.
#[derive(Debug, Clone, Copy)]
struct ConnectionLimits {
    /// Maximum number of concurrent connections; further ones wait until one ends.
    connections: usize,
    /// Maximum time until the next request head is complete, and therefore the idle timeout.
    head_timeout: Duration,
    /// Maximum size of a request head: request line and headers.
    head_bytes: usize,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self { connections: 4_096, head_timeout: Duration::from_secs(30), head_bytes: 32 << 10 }
    }
}

/// A bound listener that does not accept connections yet.
pub struct Listening {
    listener: TcpListener,
    limits: ConnectionLimits,
    /// The bound address, with the selected port if port 0 was requested.
    pub address: SocketAddr,
}

impl Listening {
    /// Binds a loopback address.
    pub async fn bind(address: SocketAddr) -> Result<Self, ListenError> {
        Self::bind_for(&AccessMode::Open, address).await
    }

    /// Binds an address. Fails for a non-loopback address if authentication is disabled.
    pub async fn bind_for(access: &AccessMode, address: SocketAddr) -> Result<Self, ListenError> {
        if matches!(access, AccessMode::Open) && !address.ip().is_loopback() {
            return Err(ListenError::Exposed(address));
        }
        let bound = async {
            let listener = TcpListener::bind(address).await?;
            let address = listener.local_addr()?;
            Ok(Self { listener, limits: ConnectionLimits::default(), address })
        };
        bound.await.map_err(|source| ListenError::Bind { address, source })
    }

    /// Serves until `stop` is cancelled and the requests in flight have completed.
    pub async fn serve(self, router: Router, stop: CancellationToken) {
        let connections = TaskTracker::new();
        let capacity = Arc::new(Semaphore::new(self.limits.connections));
        let builder = self.limits.builder();
        loop {
            let accepted = tokio::select! {
                accepted = self.accept(&capacity) => accepted,
                () = stop.cancelled() => break,
            };
            match accepted {
                Ok(connection) => {
                    connections.spawn(connection.serve(builder.clone(), router.clone(), stop.clone()));
                }
                Err(error) => back_off(&error).await,
            }
        }
        // Close the port first, so that no client connects to a server that no longer responds.
        drop(self.listener);
        connections.close();
        connections.wait().await;
    }

    /// Accepts the next connection, once the number of connections permits it.
    async fn accept(&self, capacity: &Arc<Semaphore>) -> io::Result<AcceptedConnection> {
        let permit = Arc::clone(capacity).acquire_owned().await.map_err(io::Error::other)?;
        let (stream, peer) = self.listener.accept().await?;
        let permit = ConnectionPermit(Arc::new(permit));
        Ok(AcceptedConnection { stream, peer, permit })
    }
}

impl ConnectionLimits {
    fn builder(self) -> http1::Builder {
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(self.head_timeout)
            .max_header_size(self.head_bytes);
        builder
    }
}

/// Delays the next accept, except after errors of a single connection.
async fn back_off(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        return;
    }
    warn!(%error, "cannot accept connections; retrying");
    tokio::time::sleep(ACCEPT_BACKOFF).await;
}

/// Counts one connection, until all clones are dropped. A request that becomes a WebSocket keeps a clone.
#[derive(Clone)]
pub(crate) struct ConnectionPermit(
    #[allow(dead_code, reason = "held for its drop")] Arc<OwnedSemaphorePermit>,
);

/// An accepted connection.
struct AcceptedConnection {
    stream: TcpStream,
    peer: SocketAddr,
    permit: ConnectionPermit,
}

impl AcceptedConnection {
    /// Handles requests until the client disconnects. On shutdown the request in flight is the last one.
    async fn serve(self, builder: http1::Builder, router: Router, stop: CancellationToken) {
        let Self { stream, peer, permit } = self;
        // Chunks of live texts are small; send them without delay.
        if let Err(error) = stream.set_nodelay(true) {
            debug!(%error, "cannot set TCP_NODELAY");
        }
        let service = service_fn(move |request| handle(router.clone(), peer, permit.clone(), request));
        let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service).with_upgrades());
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            debug!(%error, "connection failed");
        }
    }
}

async fn handle(
    router: Router,
    peer: SocketAddr,
    permit: ConnectionPermit,
    mut request: Request<Incoming>,
) -> Result<Response, Infallible> {
    request.extensions_mut().insert(ConnectInfo(peer));
    request.extensions_mut().insert(permit);
    router.oneshot(request).await
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tarsy_config::{Config, Environment};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_util::sync::DropGuard;

    use super::*;

    #[tokio::test]
    async fn rejects_exposed_addresses_without_authentication() {
        for exposed in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
            let bound = Listening::bind(exposed.parse().unwrap()).await;
            assert!(matches!(bound, Err(ListenError::Exposed(_))), "{exposed}");
        }
    }

    #[tokio::test]
    async fn accepts_exposed_addresses_with_authentication() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("tarsy.yaml");
        std::fs::write(file, "system: { access: { tokens: true } }").unwrap();
        let config = Config::load(Some(directory.path()), &Environment::default()).unwrap().config;
        // A documentation address, so that nothing is bound.
        let bound = Listening::bind_for(&AccessMode::new(&config), "192.0.2.1:0".parse().unwrap()).await;
        assert!(matches!(bound, Err(ListenError::Bind { .. })));
    }

    #[tokio::test]
    async fn a_port_in_use_is_an_error_with_advice() {
        let first = Listening::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let second = Listening::bind(first.address).await.err().unwrap();
        let expected = format!("listening on {}: another program uses this address", first.address);
        assert!(second.to_string().starts_with(&expected), "{second}");
    }

    async fn listen(limits: ConnectionLimits) -> (SocketAddr, DropGuard) {
        let listening = Listening::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let (address, stop) = (listening.address, CancellationToken::new());
        let router = Router::new().route("/", get(async || "here"));
        tokio::spawn(Listening { limits, ..listening }.serve(router, stop.clone()));
        (address, stop.drop_guard())
    }

    /// Reads until the server closes the connection.
    async fn read_all(mut stream: TcpStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    }

    #[tokio::test]
    async fn closes_connections_without_a_complete_request_head() {
        let limits =
            ConnectionLimits { head_timeout: Duration::from_millis(20), ..ConnectionLimits::default() };
        let (address, _guard) = listen(limits).await;
        for start in ["", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(start.as_bytes()).await.unwrap();
            let response = read_all(stream).await;
            assert!(!response.contains("200"), "{response}");
        }
    }

    #[tokio::test]
    async fn rejects_oversized_headers() {
        let (address, _guard) = listen(ConnectionLimits::default()).await;
        let response = async |length: usize| {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let header = "a".repeat(length);
            let request =
                format!("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: {header}\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            read_all(stream).await
        };
        assert!(response(30 << 10).await.starts_with("HTTP/1.1 200 "));
        assert!(response(32 << 10).await.starts_with("HTTP/1.1 431 "));
    }

    #[tokio::test]
    async fn connections_over_the_limit_wait() {
        let limits = ConnectionLimits { connections: 1, ..ConnectionLimits::default() };
        let (address, _guard) = listen(limits).await;
        let first = TcpStream::connect(address).await.unwrap();
        let mut second = TcpStream::connect(address).await.unwrap();
        second.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut byte = [0];
        let waited = tokio::time::timeout(Duration::from_millis(100), second.read(&mut byte)).await;
        assert!(waited.is_err(), "handled although the limit is reached");
        drop(first);
        assert!(read_all(second).await.ends_with("here"));
    }
}
