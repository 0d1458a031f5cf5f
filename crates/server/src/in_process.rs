//! The server asked from inside its own process: no port is open, and nobody else can ask.

use axum::Router;
use axum::body::{Body, BodyDataStream};
use axum::http::{Request, Response};
use tower::ServiceExt;

use crate::{App, router};

/// A server for its own process alone.
#[derive(Clone)]
pub struct Inside(Router);

impl Inside {
    /// Everything that this would answer over HTTP.
    pub fn new(app: App) -> Self {
        Self(router(app))
    }

    /// The answer, whose body comes as it is made.
    pub async fn ask(&self, request: Request<String>) -> Response<BodyDataStream> {
        let answered = self.0.clone().oneshot(request.map(Body::from)).await;
        match answered {
            Ok(response) => response.map(Body::into_data_stream),
            Err(never) => match never {},
        }
    }
}
