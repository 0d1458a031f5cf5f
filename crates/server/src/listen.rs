//! Listening: binding an address and serving until told to stop.
//!
//! Without authentication the server only listens to the machine it runs on, because whoever reaches it can read
//! every investigation.

use std::net::SocketAddr;

use axum::Router;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Why the server does not listen.
#[derive(Debug, Error)]
pub enum ListenError {
    /// Others could reach it, and nothing would ask who they are.
    #[error(
        "refusing to listen on {0}: it can be reached from other machines and there is no authentication yet; \
         listen on 127.0.0.1 or [::1], behind a proxy that authenticates if others need access"
    )]
    Exposed(SocketAddr),

    /// The address cannot be bound.
    #[error("listening on {address}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },

    /// The listener broke while serving.
    #[error("serving")]
    Serve(#[source] std::io::Error),
}

/// A bound address that is not served yet.
pub struct Listening {
    listener: TcpListener,
    /// Where it listens; with port 0 asked for, the port that was found.
    pub address: SocketAddr,
}

impl Listening {
    /// Binds `address`.
    pub async fn bind(address: SocketAddr) -> Result<Self, ListenError> {
        if !address.ip().is_loopback() {
            return Err(ListenError::Exposed(address));
        }
        let bound = async {
            let listener = TcpListener::bind(address).await?;
            let address = listener.local_addr()?;
            Ok(Self { listener, address })
        };
        bound.await.map_err(|source| ListenError::Bind { address, source })
    }

    /// Serves until `stop` is cancelled and the requests at hand are answered.
    pub async fn serve(self, router: Router, stop: CancellationToken) -> Result<(), ListenError> {
        axum::serve(self.listener, router)
            .with_graceful_shutdown(stop.cancelled_owned())
            .await
            .map_err(ListenError::Serve)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_that_others_can_reach_is_refused() {
        for exposed in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
            let bound = Listening::bind(exposed.parse().unwrap()).await;
            assert!(matches!(bound, Err(ListenError::Exposed(_))), "{exposed}");
        }
    }

    #[tokio::test]
    async fn a_taken_port_is_an_error_that_names_it() {
        let first = Listening::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let second = Listening::bind(first.address).await.err().unwrap();
        assert_eq!(second.to_string(), format!("listening on {}", first.address));
    }
}
