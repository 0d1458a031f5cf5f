//! Listening: binding an address and serving until told to stop.
//!
//! Without authentication the server only listens to the machine it runs on, because whoever reaches it can read
//! every investigation. What a connection may cost is limited here: how many there are, how long one may take to say
//! what it wants, and how much it may say before that. What a request may cost is limited by its route.

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

use crate::Access;

/// How long to wait when the machine has no room for another connection.
const PAUSE_WITHOUT_ROOM: Duration = Duration::from_millis(500);

/// Why the server does not listen.
#[derive(Debug, Error)]
pub enum ListenError {
    /// Others could reach it, and nothing would ask who they are.
    #[error(
        "refusing to listen on {0}: it can be reached from other machines, and nobody would be asked who they are; set \
         `system.access.tokens: true` and make tokens with `tarsy token create`, or describe the proxy in front in \
         `system.access.proxy`, or listen on 127.0.0.1 or [::1]"
    )]
    Exposed(SocketAddr),

    /// The address cannot be bound.
    #[error("listening on {address}{}", advice(source))]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
}

/// What to do about an address that cannot be bound, where it is plain.
fn advice(source: &io::Error) -> &'static str {
    if source.kind() != io::ErrorKind::AddrInUse {
        return "";
    }
    ", where another program does; choose another place with --listen, where port 0 takes any that is free"
}

/// What connections may cost.
#[derive(Debug, Clone, Copy)]
struct ConnectionLimits {
    /// Connections at the same time; those that come then wait until one ends.
    connections: usize,
    /// How long one may take to send the head of its next request, and so also how long it may be idle.
    head_timeout: Duration,
    /// How long the head of a request may be: its address and all headers.
    head_bytes: usize,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self { connections: 4_096, head_timeout: Duration::from_secs(30), head_bytes: 32 << 10 }
    }
}

/// A bound address that is not served yet.
pub struct Listening {
    listener: TcpListener,
    limits: ConnectionLimits,
    /// Where it listens; with port 0 asked for, the port that was found.
    pub address: SocketAddr,
}

impl Listening {
    /// Binds an address of this machine alone.
    pub async fn bind(address: SocketAddr) -> Result<Self, ListenError> {
        Self::bind_for(&Access::Open, address).await
    }

    /// Binds an address that others may reach if they are asked who they are.
    pub async fn bind_for(access: &Access, address: SocketAddr) -> Result<Self, ListenError> {
        if matches!(access, Access::Open) && !address.ip().is_loopback() {
            return Err(ListenError::Exposed(address));
        }
        let bound = async {
            let listener = TcpListener::bind(address).await?;
            let address = listener.local_addr()?;
            Ok(Self { listener, limits: ConnectionLimits::default(), address })
        };
        bound.await.map_err(|source| ListenError::Bind { address, source })
    }

    /// Serves until `stop` is cancelled and the requests at hand are answered.
    pub async fn serve(self, router: Router, stop: CancellationToken) {
        let connections = TaskTracker::new();
        let room = Arc::new(Semaphore::new(self.limits.connections));
        let builder = self.limits.builder();
        loop {
            let accepted = tokio::select! {
                accepted = self.accept(&room) => accepted,
                () = stop.cancelled() => break,
            };
            match accepted {
                Ok(client) => {
                    connections.spawn(client.serve(builder.clone(), router.clone(), stop.clone()));
                }
                Err(error) => pause_after(&error).await,
            }
        }
        // Nobody is to connect to a server that does not answer any more.
        drop(self.listener);
        connections.close();
        connections.wait().await;
    }

    /// The next connection, once there is room for it.
    async fn accept(&self, room: &Arc<Semaphore>) -> io::Result<Client> {
        let permit = Arc::clone(room).acquire_owned().await.map_err(io::Error::other)?;
        let (stream, peer) = self.listener.accept().await?;
        let place = Place(Arc::new(permit));
        Ok(Client { stream, peer, place })
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

/// A client that is gone before it was greeted is nothing to wait for; a machine without room is.
async fn pause_after(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        return;
    }
    warn!(%error, "no connection can be accepted");
    tokio::time::sleep(PAUSE_WITHOUT_ROOM).await;
}

/// A place among the connections, given back when nobody holds it any more. A request that becomes a socket takes it
/// along.
#[derive(Clone)]
pub(crate) struct Place(#[allow(dead_code, reason = "it is held, not looked at")] Arc<OwnedSemaphorePermit>);

/// Somebody who is connected.
struct Client {
    stream: TcpStream,
    peer: SocketAddr,
    place: Place,
}

impl Client {
    /// Answers requests until the client leaves. When the server stops, the one at hand is the last.
    async fn serve(self, builder: http1::Builder, router: Router, stop: CancellationToken) {
        let Self { stream, peer, place } = self;
        // Chunks are small and wanted at once.
        if let Err(error) = stream.set_nodelay(true) {
            debug!(%error, "a connection cannot be told to send at once");
        }
        let service = service_fn(move |request| answer(router.clone(), peer, place.clone(), request));
        let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service).with_upgrades());
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            debug!(%error, "a connection broke");
        }
    }
}

async fn answer(
    router: Router,
    peer: SocketAddr,
    place: Place,
    mut request: Request<Incoming>,
) -> Result<Response, Infallible> {
    request.extensions_mut().insert(ConnectInfo(peer));
    request.extensions_mut().insert(place);
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
    async fn an_address_that_others_can_reach_is_refused() {
        for exposed in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
            let bound = Listening::bind(exposed.parse().unwrap()).await;
            assert!(matches!(bound, Err(ListenError::Exposed(_))), "{exposed}");
        }
    }

    #[tokio::test]
    async fn where_everybody_is_asked_who_they_are_others_may_reach_it() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("tarsy.yaml");
        std::fs::write(file, "system: { access: { tokens: true } }").unwrap();
        let config = Config::load(Some(directory.path()), &Environment::default()).unwrap().config;
        // An address that nobody has, so that nothing is bound.
        let bound = Listening::bind_for(&Access::new(&config), "192.0.2.1:0".parse().unwrap()).await;
        assert!(matches!(bound, Err(ListenError::Bind { .. })));
    }

    #[tokio::test]
    async fn a_taken_port_is_an_error_that_names_it_and_a_way_out() {
        let first = Listening::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let second = Listening::bind(first.address).await.err().unwrap();
        let expected = format!("listening on {}, where another program does; choose another", first.address);
        assert!(second.to_string().starts_with(&expected), "{second}");
    }

    async fn listen(limits: ConnectionLimits) -> (SocketAddr, DropGuard) {
        let listening = Listening::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let (address, stop) = (listening.address, CancellationToken::new());
        let router = Router::new().route("/", get(async || "here"));
        tokio::spawn(Listening { limits, ..listening }.serve(router, stop.clone()));
        (address, stop.drop_guard())
    }

    /// What comes until the server closes.
    async fn all_of(mut stream: TcpStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    }

    #[tokio::test]
    async fn who_does_not_say_what_they_want_is_cut_off() {
        let limits =
            ConnectionLimits { head_timeout: Duration::from_millis(20), ..ConnectionLimits::default() };
        let (address, _guard) = listen(limits).await;
        for begun in ["", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(begun.as_bytes()).await.unwrap();
            let answered = all_of(stream).await;
            assert!(!answered.contains("200"), "{answered}");
        }
    }

    #[tokio::test]
    async fn headers_that_are_too_long_are_refused() {
        let (address, _guard) = listen(ConnectionLimits::default()).await;
        let answered = async |length: usize| {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let header = "a".repeat(length);
            let request =
                format!("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: {header}\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            all_of(stream).await
        };
        assert!(answered(30 << 10).await.starts_with("HTTP/1.1 200 "));
        assert!(answered(32 << 10).await.starts_with("HTTP/1.1 431 "));
    }

    #[tokio::test]
    async fn one_connection_too_many_waits_for_its_turn() {
        let limits = ConnectionLimits { connections: 1, ..ConnectionLimits::default() };
        let (address, _guard) = listen(limits).await;
        let first = TcpStream::connect(address).await.unwrap();
        let mut second = TcpStream::connect(address).await.unwrap();
        second.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut byte = [0];
        let waited = tokio::time::timeout(Duration::from_millis(100), second.read(&mut byte)).await;
        assert!(waited.is_err(), "it was answered although there is no room");
        drop(first);
        assert!(all_of(second).await.ends_with("here"));
    }
}
