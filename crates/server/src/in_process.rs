//! The server as a function call: requests from the same process, without a port.

use axum::Router;
use axum::body::{Body, BodyDataStream};
use axum::http::{Request, Response};
use tower::ServiceExt;

use crate::{App, router};

/// A server that only its own process can call.
#[derive(Clone)]
pub struct InProcessServer(Router);

impl InProcessServer {
    /// Creates a server with all routes.
    pub fn new(app: App) -> Self {
        Self(router(app))
    }

    /// Handles a request. The response body is streamed.
    pub async fn send(&self, request: Request<String>) -> Response<BodyDataStream> {
        match self.0.clone().oneshot(request.map(Body::from)).await {
            Ok(response) => response.map(Body::into_data_stream),
            Err(never) => match never {},
        }
    }
}
