//! Errors of the API client.

use reqwest::Response;
use serde::Deserialize;
use thiserror::Error;

use crate::terminal::single_line;

/// The maximum length of the excerpt of an unknown response.
const SHOWN_CHARACTERS: usize = 200;

/// An error of the API client.
#[derive(Debug, Error)]
pub(crate) enum ClientError {
    /// The server cannot be reached.
    #[error("cannot connect to {server}; start a server with `tarsy serve`, or set --server to its URL")]
    Unreachable { server: String, source: reqwest::Error },

    /// The request has no valid token.
    #[error("{message}; set TARSY_TOKEN to a token of this server, created with `tarsy token create`")]
    Unauthorized { message: String },

    /// The server rejected the request.
    #[error("{message}")]
    Rejected { message: String },

    /// The server failed.
    #[error("server error: {message}")]
    ServerError { message: String },

    /// The connection was lost.
    #[error("the connection to the server was lost")]
    ConnectionLost(#[source] reqwest::Error),

    /// The response is not a stream of events.
    #[error("the event stream of the session is invalid")]
    InvalidStream(#[source] sse_stream::Error),

    /// The server closed the stream before the session ended.
    #[error("the server closed the event stream repeatedly before the session ended")]
    StreamClosed,

    /// The response is not what this version expects.
    #[error("the response to {path} is invalid; check that the URL points to a compatible TARSy server")]
    InvalidResponse { path: String, source: serde_json::Error },

    /// The path is not a valid URI.
    #[error("{path} is not a valid path")]
    InvalidPath { path: String, source: http::Error },
}

/// The body of an error response.
#[derive(Deserialize)]
struct ApiErrorBody {
    error: ApiErrorDetail,
}

#[derive(Deserialize)]
struct ApiErrorDetail {
    message: String,
}

impl ClientError {
    /// Creates the error for a response with an error status.
    pub(super) async fn from_response(response: Response) -> Self {
        let status = response.status();
        let text = response.text().await.unwrap_or_default();
        let message = match serde_json::from_str::<ApiErrorBody>(&text) {
            Ok(body) => body.error.message,
            Err(_) => format!("status {status}: {}", single_line(&text, SHOWN_CHARACTERS)),
        };
        match status {
            http::StatusCode::UNAUTHORIZED => Self::Unauthorized { message },
            status if status.is_client_error() => Self::Rejected { message },
            _ => Self::ServerError { message },
        }
    }

    /// Returns whether a retry may succeed.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::ServerError { .. }
            | Self::ConnectionLost(_)
            | Self::InvalidStream(_)
            | Self::StreamClosed => true,
            Self::Unauthorized { .. }
            | Self::Rejected { .. }
            | Self::InvalidResponse { .. }
            | Self::InvalidPath { .. } => false,
        }
    }
}
