//! A model over HTTP.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use reqwest::Client;

use super::auth::Auth;
use super::exchange::HttpExchange;
use crate::wire::Wire;
use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, Origin, Settings};

/// Time without traffic after which a connection is probed, and between two probes.
const KEEPALIVE: Duration = Duration::from_secs(15);

/// A model that is called over HTTP with one of the wires.
pub(crate) struct HttpModel<W> {
    settings: Settings,
    wire: Arc<W>,
    auth: Auth,
    client: Client,
}

impl<W: Wire> HttpModel<W> {
    pub(crate) fn new(settings: Settings, wire: W, auth: Auth) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .connect_timeout(settings.timeouts.connect)
            // A reply may start after minutes. If the host or the network dies meanwhile, the connection ends
            // after a minute and not only with the first-chunk timeout.
            .tcp_keepalive(KEEPALIVE)
            .tcp_keepalive_interval(KEEPALIVE)
            .tcp_keepalive_retries(3)
            .tls_danger_accept_invalid_certs(!settings.verify_tls)
            .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
            // A redirect would send the conversation to a host that is not configured.
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self { settings, wire: Arc::new(wire), auth, client })
    }

    fn exchange(&self, request: &ModelRequest) -> Result<HttpExchange<W::Decoder>, ModelError> {
        let (http_request, decoder) = self.wire.encode(&self.settings, request)?;
        let settings = self.settings.clone();
        Ok(HttpExchange::new(
            http_request,
            decoder,
            self.auth.clone(),
            self.client.clone(),
            self.settings.timeouts,
            Box::new(move |response| W::failure(&settings, response)),
        ))
    }
}

impl<W: Wire> Model for HttpModel<W> {
    fn origin(&self) -> Origin {
        self.settings.origin.clone()
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        match self.exchange(&request) {
            Ok(exchange) => {
                let from = stream::iter([Ok(Chunk::From(self.origin()))]);
                // Boxed, because `unfold` moves its state with every chunk.
                let chunks = stream::unfold(Box::new(exchange), |mut exchange| async move {
                    exchange.next().await.map(|chunk| (chunk, exchange))
                });
                from.chain(chunks).boxed()
            }
            Err(error) => stream::iter([Err(error)]).boxed(),
        }
    }
}
